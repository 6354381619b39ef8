import { resolve } from 'node:path'
import * as z from 'zod'
import { defaultAddOns } from '../answers/add-ons.ts'
import { type Answers, answerFields, type PartialAnswers, partialAnswers } from '../answers/answers.ts'
import { detectPackageManager } from '../answers/package-managers.ts'
import { DEFAULTS, hasAccounts, MODES, variantOf } from '../answers/variant.ts'
import { type UserError, wrongUsage } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { alternatives, shorten } from '../system/printing.ts'
import { decodeUtf8, JsonFault, readJson, refuseUnreadable } from '../system/read-json.ts'
import type { System } from '../system/system.ts'
import { codeOf } from '../system/system-error.ts'
import { refuseDisallowed } from './add-on-flags.ts'
import { askAnswers } from './prompts.ts'

/** The flags that carry answers, as typed. */
export type AnswerFlags = {
  readonly [F in Exclude<keyof PartialAnswers, 'name' | 'addOns'>]?: string | undefined
}

const FLAGS: Record<keyof AnswerFlags, string> = {
  mode: '--mode',
  profile: '--profile',
  database: '--database',
  packageManager: '--package-manager',
}

/**
 * Checks the values of the flags that carry answers. Ignores other flags.
 * @throws UserError (usage) that names the flag
 */
export function parseFlags(flags: AnswerFlags): PartialAnswers {
  const fields = Object.keys(FLAGS) as (keyof AnswerFlags)[]
  const parsed = fields.flatMap((field) => {
    const value = flags[field]
    if (value === undefined) return []
    const { success, data, error } = answerFields[field].safeParse(value)
    if (success) return [[field, data]]
    throw wrongUsage(`\`${FLAGS[field]}\` ${error.issues[0]?.message}, not "${shorten(value)}".`)
  })
  return Object.fromEntries(parsed)
}

/**
 * Reads the file of `--from`. It is untrusted input, so every member is checked and an unknown one is an error.
 * @throws UserError (usage) that names the file and what is wrong with it
 */
export function readAnswersFile(fs: FileSystem, cwd: string, file: string): PartialAnswers {
  if (file === '') throw wrongUsage('`--from` must name a JSON file.')
  try {
    const path = resolve(cwd, file)
    refuseUnreadable(fs.statSync(path), 64 * 1024)
    return readJson(decodeUtf8(fs.readFileSync(path)), partialAnswers)
  } catch (error) {
    throw wrongUsage(`\`--from ${file}\`: ${faultOf(error)}.`)
  }
}

function faultOf(error: unknown): string {
  if (!(error instanceof JsonFault)) return `cannot be read (${codeOf(error) ?? 'error'})`
  const { at, message } = error
  if (at) return `"${at.path.join('.')}" ${at.reason}, not ${shorten(JSON.stringify(at.value))}`
  return message.includes('unknown key') ? `${message}. See \`--print-schema\`` : message
}

/** The JSON Schema (draft 2020-12) of an answers file, generated from the schema that validates it. */
export const answersSchema = (): object => z.toJSONSchema(partialAnswers, { io: 'input' })

/**
 * Merges flags and file; flags win. The file's profile is dropped if a flag sets mode none.
 * @throws UserError (usage) for a profile with mode none
 */
export function mergeAnswers(flags: PartialAnswers, file: PartialAnswers): PartialAnswers {
  const merged = { ...file, ...flags }
  if (flags.mode && !hasAccounts(flags.mode) && !flags.profile) delete merged.profile
  checkAnswers(merged)
  return merged
}

/**
 * Completes the answers: with prompts in a terminal, otherwise with defaults.
 * @param yes uses the default of each missing answer, without prompts
 * @throws UserError: usage if an answer without a default is missing; interrupted at a prompt
 */
export async function completeAnswers(system: System, known: PartialAnswers, yes: boolean): Promise<Answers> {
  const detected = detectPackageManager(system.env.npm_config_user_agent)
  const given = yes
    ? withDefaults(known)
    : system.interactive
      ? await askAnswers(system, known, { packageManager: detected })
      : known
  checkAnswers(given)
  const { name, mode, profile, database = DEFAULTS.database, packageManager = detected } = given
  if (!name) throw missing('directory', 'the directory of the project, for example `my-api`')
  if (!mode) throw missing('`--mode`', `\`--mode\` with ${alternatives(MODES)}`)
  const variant = variantOf({ mode, profile, database })
  if (!variant) throw missing('`--profile`', '`--profile A` or `--profile B`')
  const { addOns = defaultAddOns(variant) } = given
  refuseDisallowed(addOns, variant)
  return { name, ...variant, addOns, packageManager }
}

function withDefaults(known: PartialAnswers): PartialAnswers {
  const mode = known.mode ?? DEFAULTS.mode
  return hasAccounts(mode) ? { profile: DEFAULTS.profile, ...known, mode } : known
}

function checkAnswers(answers: PartialAnswers): void {
  if (answers.mode && !hasAccounts(answers.mode) && answers.profile)
    throw wrongUsage('Mode none has no profile. Remove `--profile`, or choose another mode.')
}

const missing = (what: string, fix: string): UserError =>
  wrongUsage(`Missing ${what} (no terminal to prompt in). Pass ${fix}.`)
