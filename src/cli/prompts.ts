import chalk from 'chalk'
import { type AddOn, allowedAddOns, defaultAddOns, definitionOf } from '../answers/add-ons.ts'
import type { Field, PartialAnswers } from '../answers/answers.ts'
import type { PackageManager } from '../answers/package-managers.ts'
import {
  accountsOf,
  type Database,
  DEFAULTS,
  hasAccounts,
  type Mode,
  type Profile,
} from '../answers/variant.ts'
import { parseDirectory } from '../create/target.ts'
import { interrupted, UserError } from '../system/errors.ts'
import { atWords } from '../system/printing.ts'
import type { System } from '../system/system.ts'

const DEFAULT_NAME = 'my-api'

// What a user will notice of each choice. Each fits a line of 80 columns; in a narrower terminal it breaks at words.
const MODE_TEXTS: Record<Mode, string> = {
  none: 'no accounts: health checks, API page, an example resource',
  basic: 'registration, login and the current user',
  complete: 'basic with emails, password reset and sessions (recommended)',
}
const BASIC_TEXTS: Record<Profile, string> = { A: 'bcrypt', B: 'argon2id, superusers (recommended)' }
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

/** What a list needs besides its longest choice: a pointer, a circle and a space, and the lines above and below it. */
const MARGIN = { columns: 3, rows: 6 }
type Size = ReturnType<System['terminal']>

/**
 * Asks for the missing answers; the name may be a directory. Every list but the first leads back to the question before.
 * @param present the answers to preselect; the others have defaults
 * @throws UserError (interrupted) on Ctrl-C, SIGTERM and at the end of input
 */
export async function askAnswers(
  { prompts, signal, cwd, terminal }: System,
  known: PartialAnswers,
  present: PartialAnswers & { readonly packageManager: PackageManager },
): Promise<PartialAnswers> {
  const { checkbox, input, select } = await prompts()
  const defaults = { name: DEFAULT_NAME, ...DEFAULTS, packageManager: present.packageManager }
  let answers = known
  const isAsked = (field: Field) =>
    known[field] === undefined && (field !== 'profile' || needsProfile(answers))

  /** @returns undefined to go back */
  const askAddOns = async (canGoBack: boolean) => {
    const { mode = DEFAULTS.mode, profile } = answers
    const accounts = accountsOf(mode, hasAccounts(mode) ? profile : undefined)
    const allowed = accounts ? allowedAddOns(accounts) : []
    const checked = answers.addOns ?? present.addOns ?? (accounts ? defaultAddOns(accounts) : [])
    const { choices, ...list } = addOnChoices(MESSAGES.addOns, allowed, terminal(), checked)
    const back = { value: BACK, name: chalk.dim('go back'), short: BACK, checked: false } as const
    // The keys that choose all would choose this one too.
    const more = canGoBack
      ? { choices: [...choices, back], shortcuts: { all: null, invert: null } }
      : { choices }
    const chosen = await checkbox<AddOn | typeof BACK>({ ...list, ...more }, { signal })
    const addOns = chosen.filter((each) => each !== BACK)
    answers = { ...answers, addOns }
    return addOns.length === chosen.length ? addOns : undefined
  }

  /** Preselects the answer that was given before going back. @returns undefined to go back */
  async function ask(field: Field, canGoBack: boolean): Promise<string | readonly AddOn[] | undefined> {
    if (field === 'addOns') return askAddOns(canGoBack)
    const question = {
      message: MESSAGES[field],
      default: answers[field] ?? present[field] ?? defaults[field],
    }
    if (field === 'name')
      return input({ ...question, validate: (name) => validName(name, cwd, terminal()) }, { signal })
    const back = canGoBack ? [{ value: BACK, name: chalk.dim('go back') }] : []
    const choices = [...choicesOf(field, answers, known, terminal()), ...back]
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
  { prompts, signal, terminal }: System,
  message: string,
  addOns: readonly AddOn[],
): Promise<AddOn[]> {
  const { checkbox } = await prompts()
  try {
    return await checkbox({ ...addOnChoices(message, addOns, terminal()), required: true }, { signal })
  } catch (error) {
    throw asInterruption(error)
  }
}

const asInterruption = (error: unknown): unknown =>
  error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name) ? interrupted() : error

const needsProfile = ({ mode }: PartialAnswers): boolean => mode !== undefined && hasAccounts(mode)

/** The choices of a question, each with its description. */
function choicesOf(
  field: Exclude<Field, 'name' | 'addOns'>,
  answers: PartialAnswers,
  known: PartialAnswers,
  size: Size,
) {
  const { none, ...withAccounts } = MODE_TEXTS
  const texts: Record<typeof field, Record<string, string>> = {
    // A profile implies accounts.
    mode: known.profile ? withAccounts : MODE_TEXTS,
    profile: answers.mode === 'complete' ? COMPLETE_TEXTS : BASIC_TEXTS,
    database: DATABASE_TEXTS,
    packageManager: PACKAGE_MANAGER_TEXTS,
  }
  return named(Object.entries(texts[field]), size)
}

/** The choices of a question about add-ons, one line each. In a narrow terminal the chosen one's description is below. */
function addOnChoices(message: string, addOns: readonly AddOn[], size: Size, checked: readonly AddOn[] = []) {
  const lines = addOns.map((addOn) => [addOn, definitionOf(addOn).line] as const)
  const inColumn = named(lines, size)
  const described = inColumn.every(({ name }) => !name.includes('\n'))
    ? inColumn
    : lines.map(([value, text]) => ({ value, short: value, description: atWords(text, size.columns - 1) }))
  const pageSize = Math.min(addOns.length + 1, Math.max(size.rows - MARGIN.rows, 3))
  return {
    message: pageSize < addOns.length ? `${message} (${addOns.length}: ↑↓ shows more)` : message,
    pageSize,
    choices: described.map((choice) => ({ ...choice, checked: checked.includes(choice.value) })),
  }
}

/** Choices with their descriptions in a column. */
function named<Value extends string>(choices: readonly (readonly [Value, string])[], { columns }: Size) {
  const width = Math.max(...choices.map(([value]) => value.length)) + 2
  return choices.map(([value, text]) => {
    const lines = atWords(text, columns - width - MARGIN.columns).split('\n')
    const column = lines.map((line) => chalk.dim(line)).join(`\n${' '.repeat(width + 2)}`)
    return { value, name: `${value.padEnd(width)}${column}`, short: value }
  })
}

function validName(name: string, cwd: string, { columns }: Size): true | string {
  try {
    return parseDirectory(name, cwd) && true
  } catch (error) {
    if (error instanceof UserError) return atWords(error.message, columns - MARGIN.columns)
    throw error
  }
}
