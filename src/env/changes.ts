import type { Answers } from '../answers/answers.ts'
import { type Database, isProfileSwitch, type Profile } from '../answers/variant.ts'
import { type Settings, writtenValue } from './env-file.ts'
import { convert, RENAMED, type Renamed } from './renamed.ts'

export interface EnvSwitch {
  /** The text of the owner's .env. */
  readonly env: string
  /** The .env.example of the new state. */
  readonly example: string
  readonly from: Answers
  readonly to: Answers
}

/** What a switch does to one setting. */
export interface SettingChange {
  readonly name: string
  /** Undefined if only the note is left for the owner. */
  readonly value?: string
  /** The value as written under the other name, quotes included. */
  readonly written?: string | undefined
  /** Lines to insert above the setting. */
  readonly comment?: readonly string[]
  readonly note: string
}

/** The same of files with the value, as NAME_FILE. A number in one is not converted. */
const FILES = RENAMED.flatMap(({ A, B, complete, scale }) =>
  scale ? [] : [{ A: `${A}_FILE`, B: `${B}_FILE`, complete }],
)

/** The new .env.example with NAME_FILE for each NAME whose value the owner has in a file. */
export const withFiles = ({ example, from, to }: EnvSwitch, before: Settings): string =>
  example.replace(/^([A-Z][A-Z0-9_]*)=.*$/gm, (line, name: string) => {
    const pair = isProfileSwitch(from, to) && RENAMED.find((each) => each[to.profile ?? 'A'] === name)
    return before[`${pair ? pair[from.profile ?? 'A'] : name}_FILE`] ? `${name}_FILE=` : line
  })

/**
 * The settings that get a value other than their current one or their default.
 * @param before the settings of the owner's .env
 * @param defaults those of the new .env.example, with new secrets
 */
export function planChanges(options: EnvSwitch, before: Settings, defaults: Settings): SettingChange[] {
  const { profile } = options.to
  const renamed = profile
    ? [...RENAMED, ...FILES].map((pair) => renamedSetting(pair, profile, options, before, defaults))
    : []
  return [...renamed, databaseUrl(options, before, defaults)].flatMap((change) => change ?? [])
}

function renamedSetting(
  pair: Renamed,
  profile: Profile,
  { env, from, to }: EnvSwitch,
  before: Settings,
  defaults: Settings,
): SettingChange | undefined {
  const otherProfile = profile === 'A' ? 'B' : 'A'
  const [name, other] = [pair[profile], pair[otherProfile]]
  const present = before[name]
  const given = before[other] || undefined
  const value = given === undefined ? undefined : convert(pair, given, profile)
  // The other value was converted from this one at the last switch: 90 seconds stay 90, not 60.
  const isUntouched = present !== undefined && convert(pair, present, otherProfile) === given
  const isSettled = present === value || isUntouched

  if (present === undefined ? defaults[name] === undefined : !isProfileSwitch(from, to)) {
    if (from.profile || !present || value === undefined || isSettled) return undefined
    const note = `.env: ${name} and ${other} differ; the service reads ${name}, so check that it has the current value`
    return { name, note }
  }
  if (value !== undefined) {
    const what = pair.scale ? `${value}, from ${other}` : `the value of ${other}`
    const note = `.env: ${name} ${present === undefined ? 'has' : 'changed and has'} ${what}`
    const written = pair.scale ? undefined : writtenValue(env, other)
    return isSettled ? undefined : { name, value, written, note }
  }
  if (!isSettingOf(pair, from)) return undefined
  if (present !== undefined) {
    // The setting was removed or emptied under its other name. An old line must not bring back a leaked key.
    const fallback = defaults[name] ?? ''
    const what = fallback && isSecret(name) ? 'a new secret' : 'its default'
    const note = `.env: ${name} has ${what}, because ${other} has no value`
    return present === fallback ? undefined : { name, value: fallback, note }
  }
  const note = `.env: ${other} has no value to copy; give ${name} the value that ${other} has elsewhere`
  return isSecret(name) ? { name, note } : undefined
}

function databaseUrl({ env, from, to }: EnvSwitch, before: Settings, defaults: Settings) {
  const name = 'DATABASE_URL'
  const url = before[name]
  if (from.database === to.database || !url || isFor(to.database, url)) return undefined
  const lines = (writtenValue(env, name) ?? url).split(/\r?\n/)
  return {
    name,
    value: defaults[name] ?? '',
    comment: [
      `# Until the switch to ${to.database}, for copy-data --from:`,
      ...lines.map((line, index) => `# ${index === 0 ? `${name}=` : ''}${line}`),
    ],
    note: `.env: ${name} has the default of the new database; the old value is in the comment above it`,
  }
}

const isSecret = (name: string) => name.endsWith('SECRET_KEY')

const isSettingOf = ({ complete }: Renamed, { mode }: Answers) =>
  mode === 'complete' || (mode === 'basic' && !complete)

const isFor = (database: Database, url: string) =>
  database === 'sqlite' ? url.startsWith('file:') : /^postgres(?:ql)?:/.test(url)
