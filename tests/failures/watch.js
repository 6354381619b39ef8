/**
 * A record of all answers, and of those that should not occur.
 * @typedef {ReturnType<typeof createWatch>} Watch
 */

/** Maximum time of a 503, plus the time that the same request takes without a failure. */
const SLOWEST_MS = 5_000

/** How long 503s may continue after a failure ends, plus the usual response time. */
const RECOVERY_MS = 10_000

/** @typedef {'database' | 'process'} Part the part that can fail */

/** Records every answer with its time, because an outage allows other answers. */
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
  /** @type {Record<string, number>} the slowest answer without an outage, by request */
  const usual = {}
  /** @type {Record<string, number>} the slowest 503, by request */
  const unavailable = {}

  /** The slowest answer without an outage, in milliseconds. It shows how slow the machine is. */
  const usualMs = () => Math.max(0, ...Object.values(usual))
  /**
   * @param {Part} part
   * @param {number} from
   * @param {number} to
   */
  const wasGone = (part, from, to) =>
    outages.some((outage) => {
      const end = part === 'database' ? outage.to + RECOVERY_MS + usualMs() : outage.to
      return outage.part === part && from <= end && to >= outage.from
    })
  /** @param {Record<string, number>} counts @param {string} key */
  const count = (counts, key) => {
    counts[key] = (counts[key] ?? 0) + 1
  }

  return {
    faults,
    /** The 503s that took too long. */
    slowFaults: () =>
      Object.entries(unavailable)
        .filter(([what, ms]) => ms - (usual[what] ?? 0) >= SLOWEST_MS)
        .map(([what, ms]) => `${what}: 503 after ${ms.toFixed(0)} ms`),
    usualMs,
    statuses,
    duringOutages,
    slowest,

    /** Starts an outage. @param {Part} part @returns a function that ends it */
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
        // Also from a service that starts: it listens before its database is ready.
        if (!wasGone('database', startedAt, now) && !wasGone('process', startedAt, now))
          faults.push(`${what}: 503 while the database was available`)
        if (!outcome.retryAfter) faults.push(`${what}: 503 without Retry-After`)
      }
    },
  }
}

/** @param {unknown} error an error of fetch */
function reasonOf(error) {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? `${cause.message} ${'code' in cause ? cause.code : ''}` : String(cause)
}
