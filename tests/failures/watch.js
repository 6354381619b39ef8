/**
 * What was seen from outside, and what should not have been.
 * @typedef {ReturnType<typeof createWatch>} Watch
 */

/** A 503 may not take longer, beyond what the same request takes without any failure: waiting to be hashed, on a busy machine. */
const SLOWEST_MS = 5_000

/** How long after the return of what was gone there may still be 503s. */
const RECOVERY_MS = 10_000

/** @typedef {'database' | 'process'} Part what can be gone */

/** Every answer is noted here, with when it was under way: during an outage others are right than without. */
export function createWatch() {
  /** @type {{ part: Part, from: number, to: number }[]} */
  const outages = []
  /** @type {Record<string, number>} */
  const statuses = {}
  /** @type {Record<string, number>} */
  const duringOutages = {}
  /** @type {string[]} */
  const faults = []
  const slowest = { answer: 0, unavailable: 0 }
  /** @type {Record<string, number>} the slowest answer while nothing was gone, by what was asked for */
  const usual = {}
  /** @type {Record<string, number>} the slowest 503 */
  const unavailable = {}

  /**
   * @param {Part} part
   * @param {number} from
   * @param {number} to
   */
  const wasGone = (part, from, to) =>
    outages.some((outage) => {
      const end = part === 'database' ? outage.to + RECOVERY_MS : outage.to
      return outage.part === part && from <= end && to >= outage.from
    })
  /** @param {Record<string, number>} counts @param {string} key */
  const count = (counts, key) => {
    counts[key] = (counts[key] ?? 0) + 1
  }

  return {
    faults,
    /** What took too long, at the end. */
    slowFaults: () =>
      Object.entries(unavailable)
        .filter(([what, ms]) => ms - (usual[what] ?? 0) >= SLOWEST_MS)
        .map(([what, ms]) => `${what}: 503 after ${ms.toFixed(0)} ms`),
    statuses,
    duringOutages,
    slowest,

    /** @param {Part} part @returns what is called when it is back */
    outage(part) {
      const outage = { part, from: performance.now(), to: Number.POSITIVE_INFINITY }
      outages.push(outage)
      return () => {
        outage.to = performance.now()
      }
    },

    /**
     * @param {string} what method and path
     * @param {number} startedAt
     * @param {{ status: number, retryAfter: string | null } | { error: unknown }} outcome
     */
    note(what, startedAt, outcome) {
      const now = performance.now()
      const ms = now - startedAt
      const key = 'error' in outcome ? 'no connection' : String(outcome.status)
      count(statuses, key)
      const isDisturbed = outages.some((outage) => startedAt <= outage.to && now >= outage.from)
      if (isDisturbed) count(duringOutages, key)
      else usual[what] = Math.max(usual[what] ?? 0, ms)
      slowest.answer = Math.max(slowest.answer, ms)
      if ('error' in outcome) {
        if (!wasGone('process', startedAt, now)) faults.push(`${what}: ${reasonOf(outcome.error)}`)
      } else if (outcome.status === 503) {
        slowest.unavailable = Math.max(slowest.unavailable, ms)
        unavailable[what] = Math.max(unavailable[what] ?? 0, ms)
        if (!wasGone('database', startedAt, now)) faults.push(`${what}: 503 while the database was there`)
        if (!outcome.retryAfter) faults.push(`${what}: 503 without Retry-After`)
      }
    },
  }
}

/** @param {unknown} error of fetch */
function reasonOf(error) {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? `${cause.message} ${'code' in cause ? cause.code : ''}` : String(cause)
}
