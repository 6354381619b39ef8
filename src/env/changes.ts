import type { Answers } from '../answers/answers.ts'
import type { Database } from '../answers/variant.ts'
import { acceptedUntil } from '../project/former.ts'
import { type Settings, writtenValue } from './env-file.ts'
import { convert, RENAMED, type Renamed } from './renamed.ts'

export interface Switch {
  /** The text of the owner's .env. */
  readonly env: string
  readonly from: Answers
  readonly to: Answers
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface Change {
  readonly value: string
  /** The value as written under the other name, quotes included. */
  readonly written?: string | undefined
  readonly comment?: readonly string[]
}

/** The settings that get a value other than their current one or their default. */
export function planChanges({ env, from, to, now }: Switch, before: Settings, defaults: Settings) {
  const changes = new Map<string, Change>()
  const notes: string[] = []
  const isSwitch = isProfileSwitch({ from, to })

  for (const pair of to.profile ? RENAMED : []) {
    const [name, former] = to.profile === 'A' ? [pair.A, pair.B] : [pair.B, pair.A]
    const present = before[name]
    const given = before[former] || undefined
    const value = given === undefined ? undefined : convert(pair, given, to.profile ?? 'B')
    const isSettled = present === value || isUntouched(pair, present, given, to)
    if (from.profile === undefined && present && value !== undefined && !isSettled)
      notes.push(
        `.env: ${name} and ${former} differ; the service reads ${name}, so check that it has the current value`,
      )
    if (present === undefined ? defaults[name] === undefined : !isSwitch) continue
    if (value !== undefined) {
      if (isSettled) continue
      changes.set(name, { value, written: pair.scale ? undefined : writtenValue(env, former) })
      notes.push(describe(pair, name, former, present, value))
    } else if (present !== undefined && isSettingOf(pair, from)) {
      // The setting was removed or emptied under its other name. An old line must not bring back a leaked key.
      const fallback = defaults[name] ?? ''
      if (present === fallback) continue
      changes.set(name, { value: fallback })
      const what = isSecret(name) ? 'a new secret' : 'its default'
      notes.push(`.env: ${name} has ${what}, because ${former} has no value`)
    } else if (present === undefined && isSecret(name) && isSettingOf(pair, from)) {
      notes.push(
        `.env: ${former} has no value to copy; tokens signed with it are invalid unless ${name} has the same value`,
      )
    }
  }

  const until = `PROFILE_${from.profile}_TOKENS_UNTIL`
  // After a switch of the mode no access token is accepted, because it names no session or an unknown one.
  if (isSwitch && from.mode === to.mode && defaults[until] !== undefined) {
    const value = acceptedUntil(now)
    changes.set(until, { value })
    notes.push(`.env: ${until}=${value}: access tokens of profile ${from.profile} are accepted until then`)
  }

  const url = before.DATABASE_URL
  if (from.database !== to.database && url && !isFor(to.database, url)) {
    const lines = (writtenValue(env, 'DATABASE_URL') ?? url).split(/\r?\n/)
    const comment = [
      `# Until the switch to ${to.database}, for copy-data --from:`,
      ...lines.map((line, index) => `# ${index === 0 ? 'DATABASE_URL=' : ''}${line}`),
    ]
    changes.set('DATABASE_URL', { value: defaults.DATABASE_URL ?? '', comment })
    notes.push(
      '.env: DATABASE_URL has the default of the new database; the old value is in the comment above it',
    )
  }
  return { changes, notes }
}

export const ELSEWHERE = 'settings that are set outside .env need their new names there too; see .env.example'

export const isProfileSwitch = ({ from, to }: Pick<Switch, 'from' | 'to'>) =>
  from.profile !== undefined && to.profile !== undefined && from.profile !== to.profile

const isSecret = (name: string) => name.endsWith('SECRET_KEY')

/** Whether a project in this mode has the setting. */
const isSettingOf = ({ complete }: Renamed, { mode }: Answers) =>
  mode === 'complete' || (mode === 'basic' && !complete)

/** Whether the former value was converted from the current one at the last switch. Then 90 seconds stay 90, not 60. */
function isUntouched(
  pair: Renamed,
  present: string | undefined,
  given: string | undefined,
  to: Answers,
): boolean {
  return present !== undefined && convert(pair, present, to.profile === 'A' ? 'B' : 'A') === given
}

function describe(pair: Renamed, name: string, former: string, present: string | undefined, value: string) {
  const what = pair.scale ? `${value}, from ${former}` : `the value of ${former}`
  return `.env: ${name} ${present === undefined ? 'has' : 'changed and has'} ${what}`
}

const isFor = (database: Database, url: string) =>
  database === 'sqlite' ? url.startsWith('file:') : /^postgres(?:ql)?:/.test(url)
