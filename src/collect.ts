import {
  type Answers,
  alternatives,
  answerFields,
  DEFAULTS,
  type Field,
  MODES,
  type PartialAnswers,
} from './answers.ts'
import { UserError } from './errors.ts'
import { shorten } from './escape.ts'
import { detectPackageManager } from './package-managers.ts'
import { askAnswers } from './prompts.ts'
import type { World } from './world.ts'

/** The flags that carry answers, as typed. */
export type AnswerFlags = { readonly [F in Exclude<Field, 'name'>]?: string | undefined }

const flagOf: Record<Field, string> = {
  name: '[directory]',
  mode: '--mode',
  profile: '--profile',
  database: '--database',
  packageManager: '--package-manager',
}

/**
 * Checks the flags' values.
 * @throws UserError (usage) that names the flag
 */
export function parseFlags(flags: AnswerFlags): PartialAnswers {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  const parsed = given.map(([field, value]) => {
    const result = answerFields[field as Field].safeParse(value)
    if (result.success) return [field, result.data]
    throw new UserError(
      'usage',
      `${flagOf[field as Field]} ${result.error.issues[0]?.message}, not "${shorten(value ?? '')}"`,
    )
  })
  return Object.fromEntries(parsed)
}

/**
 * Flags over file: a flag wins. A file's profile belongs to the file's mode: it goes when a flag says mode none.
 * @throws UserError (usage) for a profile with mode none, and for values that are not built yet
 */
export function mergeAnswers(flags: PartialAnswers, file: PartialAnswers): PartialAnswers {
  const merged = { ...file, ...flags }
  if (flags.mode === 'none' && !flags.profile) delete merged.profile
  checkAnswers(merged)
  return merged
}

/**
 * Completes the answers: by asking, where somebody can be asked, else by defaults.
 * @param yes takes the default for everything open, and asks nothing
 * @throws UserError: usage where an answer is missing that has no default; interrupted at a prompt
 */
export async function completeAnswers(world: World, known: PartialAnswers, yes: boolean): Promise<Answers> {
  const detected = detectPackageManager(world.env.npm_config_user_agent)
  const given = yes
    ? withDefaults(known)
    : world.interactive
      ? await askAnswers(await world.prompts(), known, detected, world.signal)
      : known
  checkAnswers(given)
  const { name, mode, profile, database = DEFAULTS.database, packageManager = detected } = given
  if (!name) throw missing('directory', 'the directory of the project, for example my-api')
  if (!mode) throw missing('mode', `--mode ${alternatives(MODES)}`)
  if (mode === 'none') return { name, mode, database, packageManager }
  if (!profile) throw missing('profile', '--profile A or B')
  return { name, mode, profile, database, packageManager }
}

function withDefaults(known: PartialAnswers): PartialAnswers {
  const mode = known.mode ?? DEFAULTS.mode
  return mode === 'none' ? known : { profile: DEFAULTS.profile, ...known, mode }
}

function checkAnswers(answers: PartialAnswers): void {
  if (answers.mode === 'none' && answers.profile) {
    throw new UserError('usage', 'mode none has no profile; leave out --profile, or choose another mode')
  }
}

function missing(what: string, give: string): UserError {
  return new UserError('usage', `no ${what} is given and nobody can be asked; give ${give}`)
}
