/** How many times of each kind of hash are kept: of measurements, and of logins. And of how many kinds. */
const [keptMeasured, keptTimes, keptKinds] = [3, 8, 50]

/** How long the times of a kind are kept after it was measured, in milliseconds. */
const keepMs = 60 * 60_000

/** The longest wait, in milliseconds. An import refuses hashes that take longer. */
const maxWaitMs = 3_000

interface Times {
  measured: number[]
  times: number[]
}

/** What decides how long a hash takes: `$pbkdf2-sha256$i=600000`, `$argon2id$v=19$m=65536,t=3,p=1`, `$2$12`. */
export const kindOf = (storedHash: string): string => {
  const [kind = ''] = /^\$[\w-]+(?:\$v=\d+)?\$[^$]*/.exec(storedHash) ?? []
  return kind.replace(/^\$2[abxy]\$/, '$2$')
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Lets every verification take as long as one of the slowest kind of hash lately: otherwise the response time would
 * reveal who has an account that was imported, and not used since. Costs no processor time.
 * @returns what waits until then
 */
export function createPace(wait = sleep) {
  const kinds = new Map<string, Times & { at: number }>()
  return async (storedHash: string, ms: number, isMeasurement: boolean): Promise<void> => {
    const kind = kindOf(storedHash)
    const at = performance.now()
    const { measured, times }: Times = kinds.get(kind) ?? { measured: [], times: [] }
    if (isMeasurement) {
      // The kind that was measured last is the last one.
      kinds.delete(kind)
      kinds.set(kind, { measured: [...measured.slice(1 - keptMeasured), ms], times, at })
    } else {
      times.push(ms)
      times.splice(0, times.length - keptTimes)
    }
    for (const [name, former] of kinds)
      if (kinds.size > keptKinds || former.at < at - keepMs) kinds.delete(name)
    if (kinds.size < 2) return
    const slowest = Math.max(...Array.from(kinds.values(), usual))
    const missingMs = Math.min(slowest, maxWaitMs) - ms
    if (missingMs > 0) await wait(missingMs)
  }
}

/**
 * Logins count only while most are slow, as under load: otherwise a client could delay all others, with a few. And never
 * below the measurement: logins with short passwords would make a long one stand out.
 */
const usual = ({ measured, times }: Times): number =>
  Math.max(median(measured), median([...measured, ...times]))

/** The lower one of two. */
const median = (times: number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor((times.length - 1) / 2)] ?? 0
