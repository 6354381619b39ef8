import chalk from 'chalk'
import { type AddOn, allowedAddOns, defaultAddOns, definitionOf } from '../answers/add-ons.ts'
import type { Field, PartialAnswers } from '../answers/answers.ts'
import { nameExample, nameFault } from '../answers/names.ts'
import type { PackageManager } from '../answers/package-managers.ts'
import {
  accountsOf,
  type Database,
  DEFAULTS,
  hasAccounts,
  type Mode,
  type Profile,
} from '../answers/variant.ts'
import { interrupted } from '../system/errors.ts'
import type { System } from '../system/system.ts'

const DEFAULT_NAME = 'my-api'

// What a user will notice of each choice. Each fits a line of 80 columns.
const MODE_TEXTS: Record<Mode, string> = {
  none: 'no accounts: health checks, API page, an example resource',
  basic: 'registration, login and the current user',
  complete: 'basic with emails, password reset and sessions (recommended)',
}
const BASIC_TEXTS: Record<Profile, string> = {
  A: 'bcrypt',
  B: 'argon2id, superusers (recommended)',
}
const COMPLETE_TEXTS: Record<Profile, string> = {
  A: 'link in the email, bcrypt',
  B: 'code in the email, argon2id, devices, superusers (recommended)',
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
  addOns: 'Add-ons',
  packageManager: 'Package manager',
}
const FIELDS = Object.keys(MESSAGES) as Field[]

/** The choice that returns to the question before. */
const BACK = 'back'

/**
 * Asks for the missing answers. Every list but the first question also leads back to the question before.
 * @param present the answers to preselect; the others have defaults
 * @throws UserError (interrupted) on Ctrl-C, SIGTERM and at the end of input
 */
export async function askAnswers(
  { prompts, signal }: System,
  known: PartialAnswers,
  present: PartialAnswers & { readonly packageManager: PackageManager },
): Promise<PartialAnswers> {
  const { checkbox, input, select } = await prompts()
  const defaults = { name: DEFAULT_NAME, ...DEFAULTS, packageManager: present.packageManager }
  let answers = known
  const isAsked = (field: Field) =>
    known[field] === undefined && (field !== 'profile' || needsProfile(answers))

  /** The answer is a list, from which none leads back: the next question does. */
  const askAddOns = () => {
    const { mode = DEFAULTS.mode, profile } = answers
    const accounts = accountsOf(mode, hasAccounts(mode) ? profile : undefined)
    const allowed = accounts ? allowedAddOns(accounts) : []
    const checked = answers.addOns ?? present.addOns ?? (accounts ? defaultAddOns(accounts) : [])
    return checkbox({ message: MESSAGES.addOns, ...addOnChoices(allowed, checked) }, { signal })
  }

  /** Preselects the answer that was given before going back. @returns undefined to go back */
  async function ask(field: Field, canGoBack: boolean): Promise<string | readonly AddOn[] | undefined> {
    if (field === 'addOns') return askAddOns()
    const question = {
      message: MESSAGES[field],
      default: answers[field] ?? present[field] ?? defaults[field],
    }
    if (field === 'name') return input({ ...question, validate: validName }, { signal })
    const back = canGoBack ? [{ value: BACK, name: chalk.dim('go back') }] : []
    const choices = [...choicesOf(field, answers, known), ...back]
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
    throw asInterruption(error)
  }
  const { profile, ...others } = answers
  // A profile that was chosen before going back to mode none is dropped. One that was given is an error.
  return profile && (known.profile || needsProfile(answers)) ? { ...others, profile } : others
}

/**
 * Asks for add-ons, at least one.
 * @throws UserError (interrupted) on Ctrl-C, SIGTERM and at the end of input
 */
export async function askForAddOns(
  { prompts, signal }: System,
  message: string,
  addOns: readonly AddOn[],
): Promise<AddOn[]> {
  const { checkbox } = await prompts()
  try {
    return await checkbox({ message, ...addOnChoices(addOns), required: true }, { signal })
  } catch (error) {
    throw asInterruption(error)
  }
}

const asInterruption = (error: unknown): unknown =>
  error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name) ? interrupted() : error

const needsProfile = ({ mode }: PartialAnswers): boolean => mode !== undefined && hasAccounts(mode)

/** The choices of a question, each with its description in the same line. */
function choicesOf(field: Exclude<Field, 'name' | 'addOns'>, answers: PartialAnswers, known: PartialAnswers) {
  const { none, ...withAccounts } = MODE_TEXTS
  const texts: Record<typeof field, Record<string, string>> = {
    // A profile implies accounts.
    mode: known.profile ? withAccounts : MODE_TEXTS,
    profile: answers.mode === 'complete' ? COMPLETE_TEXTS : BASIC_TEXTS,
    database: DATABASE_TEXTS,
    packageManager: PACKAGE_MANAGER_TEXTS,
  }
  return named(Object.entries(texts[field]))
}

/** The choices of a question about add-ons, all visible at once. */
const addOnChoices = (addOns: readonly AddOn[], checked: readonly AddOn[] = []) => ({
  pageSize: addOns.length,
  choices: named(addOns.map((addOn) => [addOn, definitionOf(addOn).line] as const)).map((choice) => ({
    ...choice,
    checked: checked.includes(choice.value),
  })),
})

/** Choices with their descriptions in a column. */
function named<Value extends string>(choices: readonly (readonly [Value, string])[]) {
  const width = Math.max(...choices.map(([value]) => value.length))
  return choices.map(([value, text]) => ({
    value,
    name: `${value.padEnd(width)}  ${chalk.dim(text)}`,
    short: value,
  }))
}

function validName(name: string): true | string {
  const fault = nameFault(name)
  return fault ? `The name ${fault}${nameExample(name)}` : true
}
