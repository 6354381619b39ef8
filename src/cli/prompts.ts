import chalk from 'chalk'
import type { Field, PartialAnswers } from '../answers/answers.ts'
import { nameExample, nameFault } from '../answers/names.ts'
import type { PackageManager } from '../answers/package-managers.ts'
import { type Database, DEFAULTS, hasAccounts, type Mode, type Profile } from '../answers/variant.ts'
import { interrupted } from '../system/errors.ts'
import type { Prompts } from '../system/system.ts'

const DEFAULT_NAME = 'my-api'

// What a user will notice of each choice. Each fits a line of 80 columns.
const MODE_TEXTS: Record<Mode, string> = {
  none: 'no accounts: health checks, API page, an example resource',
  basic: 'registration, login and the current user',
  complete: 'basic with mails, password reset and sessions (recommended)',
}
const BASIC_TEXTS: Record<Profile, string> = {
  A: 'bcrypt',
  B: 'argon2id, superusers (recommended)',
}
const COMPLETE_TEXTS: Record<Profile, string> = {
  A: 'link in the mail, bcrypt',
  B: 'code in the mail, argon2id, devices, superusers (recommended)',
}
const DATABASE_TEXTS: Record<Database, string> = {
  sqlite: 'one file, no server to run (recommended to start with)',
  postgres: 'a database server; allows several instances of the service',
}
const PACKAGE_MANAGER_TEXTS: Record<PackageManager, string> = {
  npm: 'comes with Node.js',
  pnpm: 'projects share one copy of each package on the disk',
  yarn: 'Yarn 4, with node_modules',
  bun: 'for the installation; the service runs on Node.js',
}

/** The questions in their order. */
const MESSAGES: Record<Field, string> = {
  name: 'Project name',
  mode: 'Authentication',
  profile: 'Profile',
  database: 'Database',
  packageManager: 'Package manager',
}
const FIELDS = Object.keys(MESSAGES) as Field[]

interface Choice {
  readonly value: string
  readonly name?: string
  readonly short?: string
}

/** The choice that returns to the question before. */
const BACK = 'back'

/**
 * Asks for the missing answers. Every list but the first question also leads back to the question before.
 * @param present the answers to preselect instead of the defaults
 * @throws UserError (interrupted) on Ctrl-C, SIGTERM and at the end of input
 */
export async function askAnswers(
  { input, select }: Prompts,
  known: PartialAnswers,
  detected: PackageManager,
  signal: AbortSignal,
  present: PartialAnswers = {},
): Promise<PartialAnswers> {
  let answers = known
  const isAsked = (field: Field) =>
    known[field] === undefined && (field !== 'profile' || needsProfile(answers))

  /**
   * Preselects the answer that was given before going back.
   * @returns undefined to go back
   */
  async function ask(field: Field, canGoBack: boolean): Promise<string | undefined> {
    const defaults = { name: DEFAULT_NAME, ...DEFAULTS, packageManager: detected }
    const preselected = answers[field] ?? present[field] ?? defaults[field]
    const question = { message: MESSAGES[field], default: preselected }
    if (field === 'name') return input({ ...question, validate: validName }, { signal })
    const back = canGoBack ? [{ value: BACK, name: chalk.dim('go back') }] : []
    const choices: Choice[] = [...choicesOf(field, answers, known), ...back]
    const answer = await select({ ...question, choices }, { signal })
    return answer === BACK ? undefined : answer
  }

  try {
    for (let index = 0; ; ) {
      const field = FIELDS.filter(isAsked)[index]
      if (field === undefined) break
      const answer = await ask(field, index > 0)
      if (answer !== undefined) answers = { ...answers, [field]: answer }
      index += answer === undefined ? -1 : 1
    }
  } catch (error) {
    if (error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name)) throw interrupted()
    throw error
  }
  const { profile, ...others } = answers
  // A profile that was chosen before going back to mode none is dropped. One that was given is an error.
  return profile && (known.profile || needsProfile(answers)) ? { ...others, profile } : others
}

const needsProfile = ({ mode }: PartialAnswers): boolean => mode !== undefined && hasAccounts(mode)

/** The choices of a question, each with its description in the same line. */
function choicesOf(
  field: Exclude<Field, 'name'>,
  answers: PartialAnswers,
  known: PartialAnswers,
): readonly Choice[] {
  switch (field) {
    case 'mode': {
      const { none, ...withAccounts } = MODE_TEXTS
      // A profile implies accounts.
      return described(known.profile ? withAccounts : MODE_TEXTS)
    }
    case 'profile':
      return described(answers.mode === 'complete' ? COMPLETE_TEXTS : BASIC_TEXTS)
    case 'database':
      return described(DATABASE_TEXTS)
    case 'packageManager':
      return described(PACKAGE_MANAGER_TEXTS)
  }
}

function described(texts: Record<string, string>): Choice[] {
  const values = Object.keys(texts)
  const width = Math.max(...values.map((value) => value.length))
  return values.map((value) => ({
    value,
    name: `${value.padEnd(width)}  ${chalk.dim(texts[value])}`,
    short: value,
  }))
}

function validName(name: string): true | string {
  const fault = nameFault(name)
  return fault ? `The name ${fault}${nameExample(name)}` : true
}
