import type { PartialAnswers } from '../answers/answers.ts'
import { nameFault } from '../answers/names.ts'
import { PACKAGE_MANAGERS, type PackageManager } from '../answers/package-managers.ts'
import { type Database, DEFAULTS, hasAccounts, type Mode, type Profile } from '../answers/variant.ts'
import { interrupted } from '../system/errors.ts'
import type { Prompts } from '../system/system.ts'

const SUGGESTED_NAME = 'my-api'
const SUGGESTED_MODE = 'basic'

const modes = choices<Mode>({
  none: 'health checks, OpenAPI document and an example resource; no accounts',
  basic: 'adds registration, login and the current user, with access tokens',
  complete: 'adds email verification, password reset, refresh tokens and device sessions',
})

const profiles = choices<Profile>({
  A: 'bcrypt; SECRET_KEY and ALGORITHM settings; tokens carry user_id and username',
  B: 'argon2id; JWT_* settings; tokens carry sub, iss and aud; superusers',
})

const databases = choices<Database>({
  sqlite: 'one file, no server to run',
  postgres: 'a database server; allows several instances of the service',
})

const packageManagers = PACKAGE_MANAGERS.map((value) => ({ value }))

/**
 * Asks for the missing answers.
 * @param present the answers to preselect instead of the suggestions
 * @throws UserError (interrupted) on Ctrl-C, SIGTERM and at the end of input
 */
export async function askAnswers(
  { input, select }: Prompts,
  known: PartialAnswers,
  detected: PackageManager,
  signal: AbortSignal,
  present: PartialAnswers = {},
): Promise<PartialAnswers> {
  const answers = { ...known }
  const context = { signal }
  const { profile } = known
  const questions = {
    name: { message: 'Project name', default: SUGGESTED_NAME, validate: validName },
    // A profile implies accounts.
    mode: {
      message: 'Authentication',
      choices: profile ? modes.filter(({ value }) => hasAccounts(value)) : modes,
      default: present.mode ?? SUGGESTED_MODE,
    },
    profile: { message: 'Profile', choices: profiles, default: present.profile ?? DEFAULTS.profile },
    database: { message: 'Database', choices: databases, default: present.database ?? DEFAULTS.database },
    packageManager: {
      message: 'Package manager',
      choices: packageManagers,
      default: present.packageManager ?? detected,
    },
  } as const
  try {
    answers.name ??= await input(questions.name, context)
    answers.mode ??= await select(questions.mode, context)
    if (hasAccounts(answers.mode)) answers.profile ??= await select(questions.profile, context)
    answers.database ??= await select(questions.database, context)
    answers.packageManager ??= await select(questions.packageManager, context)
    return answers
  } catch (error) {
    if (error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name)) throw interrupted()
    throw error
  }
}

function choices<Value extends string>(described: Record<Value, string>) {
  return (Object.keys(described) as Value[]).map((value) => ({
    value,
    description: described[value],
  }))
}

function validName(name: string): true | string {
  const fault = nameFault(name)
  return fault ? `The name ${fault}` : true
}
