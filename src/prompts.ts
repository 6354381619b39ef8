import type input from '@inquirer/input'
import type select from '@inquirer/select'
import { DEFAULTS, type PartialAnswers } from './answers.ts'
import { interrupted } from './errors.ts'
import { nameFault } from './names.ts'
import type { PackageManager } from './package-managers.ts'

export interface Prompts {
  readonly input: typeof input
  readonly select: typeof select
}

const DEFAULT_NAME = 'my-api'

const NOT_BUILT = 'not built yet'

/**
 * Asks what is still open.
 * @throws UserError (interrupted) on Ctrl-C, SIGTERM and the end of input
 */
export async function askAnswers(
  prompts: Prompts,
  known: PartialAnswers,
  detected: PackageManager,
  signal: AbortSignal,
): Promise<PartialAnswers> {
  const context = { signal }
  try {
    const name =
      known.name ??
      (await prompts.input(
        { message: 'Name of the project', default: DEFAULT_NAME, validate: validName },
        context,
      ))
    const mode =
      known.mode ??
      (await prompts.select({ message: 'Authentication', choices: modes, default: 'basic' }, context))
    const profile =
      mode === 'none'
        ? known.profile
        : (known.profile ??
          (await prompts.select(
            { message: 'Profile', choices: profiles, default: DEFAULTS.profile },
            context,
          )))
    const database =
      known.database ??
      (await prompts.select({ message: 'Database', choices: databases, default: DEFAULTS.database }, context))
    const packageManager =
      known.packageManager ??
      (await prompts.select(
        { message: 'Package manager', choices: packageManagers, default: detected },
        context,
      ))
    return { name, mode, profile, database, packageManager }
  } catch (error) {
    if (error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name)) throw interrupted()
    throw error
  }
}

const modes = [
  {
    value: 'none',
    name: 'none',
    description: 'health checks, API document and an example resource; no accounts',
  },
  {
    value: 'basic',
    name: 'basic',
    description: 'adds registration, login and the current user, with access tokens',
  },
  {
    value: 'complete',
    name: 'complete',
    description: 'adds email verification, password reset, refresh tokens and device sessions',
    disabled: NOT_BUILT,
  },
] as const

const profiles = [
  {
    value: 'A',
    name: 'A',
    description: 'bcrypt; SECRET_KEY and ALGORITHM settings; token carries user_id and username',
  },
  {
    value: 'B',
    name: 'B',
    description: 'argon2id; JWT_* settings; token carries sub, iss and aud; superusers',
  },
] as const

const databases = [
  { value: 'sqlite', name: 'SQLite', description: 'one file, no server to run' },
  {
    value: 'postgres',
    name: 'PostgreSQL',
    description: 'several instances of the service',
    disabled: NOT_BUILT,
  },
] as const

const packageManagers = [{ value: 'npm' }, { value: 'pnpm' }, { value: 'yarn' }, { value: 'bun' }] as const

function validName(name: string): true | string {
  const fault = nameFault(name)
  return fault ? `The name ${fault}` : true
}
