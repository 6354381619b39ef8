import type { Answers } from './answers.ts'
import { type Settings, writtenValue } from './env-file.ts'
import { convert, RENAMED, type Renamed } from './env-renamed.ts'

export interface Switch {
  /** The owner's .env; empty where there is none. */
  readonly env: string
  readonly from: Answers
  readonly to: Answers
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Time to bring the switched service to where it runs; a token of the former profile lives for 24 hours at most. */
const FORMER_TOKENS_MS = 7 * 24 * 60 * 60 * 1000

export interface Change {
  readonly value: string
  /** How it was written under the other name. */
  readonly written?: string | undefined
  readonly comment?: readonly string[]
}

/** Which settings get another value than they have, or than the default. */
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
      notes.push(`.env: ${name} and ${former} differ, and the service reads ${name}: is it the newer one?`)
    if (present === undefined ? defaults[name] === undefined : !isSwitch) continue
    if (value !== undefined) {
      if (isSettled) continue
      changes.set(name, { value, written: pair.scale ? undefined : writtenValue(env, former) })
      notes.push(describe(pair, name, former, present, value))
    } else if (present !== undefined && isSettingOf(pair, from)) {
      // It was taken away, or emptied, under its other name: a leaked key must not come back by an old line.
      const fallback = defaults[name] ?? ''
      if (present === fallback) continue
      changes.set(name, { value: fallback })
      const what = isSecret(name) ? 'a fresh secret' : 'its default again'
      notes.push(`.env: ${name} has ${what}, because ${former} has no value`)
    } else if (present === undefined && isSecret(name) && isSettingOf(pair, from)) {
      notes.push(
        `.env: ${former} has no value to carry over: what it signed is void, unless ${name} is the same`,
      )
    }
  }

  const until = `PROFILE_${from.profile}_TOKENS_UNTIL`
  // Of another mode no access token is taken: it says nothing of a session, or of one that nobody can look up.
  if (isSwitch && from.mode === to.mode && defaults[until] !== undefined) {
    const value = new Date(now + FORMER_TOKENS_MS).toISOString()
    changes.set(until, { value })
    notes.push(`.env: ${until}=${value}: access tokens of profile ${from.profile} are taken until then`)
  }

  const url = before.DATABASE_URL
  if (from.database !== to.database && url && !isFor(to.database, url)) {
    const lines = (writtenValue(env, 'DATABASE_URL') ?? url).split(/\r?\n/)
    const comment = [
      `# Until the switch to ${to.database}, for db:copy:`,
      ...lines.map((line, index) => `# ${index === 0 ? 'DATABASE_URL=' : ''}${line}`),
    ]
    changes.set('DATABASE_URL', { value: defaults.DATABASE_URL ?? '', comment })
    notes.push(
      '.env: DATABASE_URL has the default of the new database; the old one is in the comment above it',
    )
  }
  return { changes, notes }
}

export const ELSEWHERE =
  'settings that come from elsewhere than .env need their new names there too: see .env.example'

export const isProfileSwitch = ({ from, to }: Pick<Switch, 'from' | 'to'>) =>
  from.profile !== undefined && to.profile !== undefined && from.profile !== to.profile

const isSecret = (name: string) => name.endsWith('SECRET_KEY')

/** Whether a state has the setting at all. */
const isSettingOf = ({ complete }: Renamed, { mode }: Answers) =>
  mode === 'complete' || (mode === 'basic' && !complete)

/** Whether a value is what the former one was made from, at the switch before: 90 seconds stay 90 and not 60. */
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
  return `.env: ${name} ${present === undefined ? 'has' : 'changed: it has'} ${what}`
}

const isFor = (database: Answers['database'], url: string) =>
  database === 'sqlite' ? url.startsWith('file:') : /^postgres(?:ql)?:/.test(url)
