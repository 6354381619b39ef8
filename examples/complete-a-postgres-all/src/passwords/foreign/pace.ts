/** How many times of each kind of hash are kept, and of how many kinds. */
const [keptTimes, keptKinds] = [8, 50]

/** How long the times of a kind are kept after the last one, in milliseconds. */
const keepMs = 60 * 60_000

/** The longest wait, in milliseconds. An import refuses hashes that take longer. */
const maxWaitMs = 3_000

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
  const kinds = new Map<string, { times: number[]; at: number }>()
  return async (storedHash: string, ms: number): Promise<void> => {
    const kind = kindOf(storedHash)
    const at = performance.now()
    const { times } = kinds.get(kind) ?? { times: [] }
    // The kind that was verified last is the last one.
    kinds.delete(kind)
    kinds.set(kind, { times: [...times.slice(1 - keptTimes), ms], at })
    for (const [name, former] of kinds)
      if (kinds.size > keptKinds || former.at < at - keepMs) kinds.delete(name)
    if (kinds.size < 2) return
    const slowest = Math.max(...Array.from(kinds.values(), ({ times }) => usual(times)))
    const missingMs = Math.min(slowest, maxWaitMs) - ms
    if (missingMs > 0) await wait(missingMs)
  }
}

/** The second longest time: a moment in which the machine was busy must not delay every login. */
const usual = (times: number[]): number => {
  const [longest = 0, second = longest] = times.toSorted((one, other) => other - one)
  return second
}
