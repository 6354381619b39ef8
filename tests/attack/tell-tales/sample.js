import { openConnection } from '../measure/connection.js'
import { areaUnderCurve, percentile, shareOf } from '../measure/statistics.js'

/** Requests that only warm up, so that both samples meet compiled code. */
const WARM_UP = 20

/**
 * Sends one request after another: for a user and for an unknown name, in alternating order.
 * @param {string} url
 * @param {(isKnown: boolean) => string} next the next raw request
 * @param {number} count of requests in each sample
 */
export async function sampleSequence(url, next, count) {
  const connection = openConnection(url)
  /** @type {{ known: number[], unknown: number[] }} */
  const times = { known: [], unknown: [] }
  const statuses = new Set()
  for (let pair = -WARM_UP; pair < count; pair += 1) {
    for (const isKnown of pair % 2 ? [true, false] : [false, true]) {
      const raw = next(isKnown)
      const sentAt = performance.now()
      const { status, at } = await connection.send(raw)
      if (pair < 0) continue
      statuses.add(status)
      times[isKnown ? 'known' : 'unknown'].push(at - sentAt)
    }
  }
  connection.close()
  return {
    statuses,
    auc: areaUnderCurve(times.known, times.unknown),
    medians: [percentile(times.known, 0.5), percentile(times.unknown, 0.5)],
  }
}

/**
 * Sends pairs at once, for a user and for an unknown name, on two connections. Each connection and each place in the
 * order of sending belongs to the user in half of the pairs.
 * @param {string} url
 * @param {(isKnown: boolean) => string} next
 * @param {number} count of pairs
 */
export async function samplePairs(url, next, count) {
  const connections = [openConnection(url), openConnection(url)]
  const statuses = new Set()
  let last = 0
  for (let pair = -WARM_UP; pair < count; pair += 1) {
    const sides = pair % 4 < 2 ? connections : [...connections].reverse()
    const order = pair % 2 ? [true, false] : [false, true]
    // All of this runs before the first byte is sent.
    const answers = await Promise.all(sides.map((side, index) => side.send(next(order[index] ?? false))))
    const [known, unknown] = order[0] ? answers : [...answers].reverse()
    if (pair < 0 || !known || !unknown) continue
    statuses.add(known.status).add(unknown.status)
    if (known.at > unknown.at) last += 1
  }
  for (const connection of connections) connection.close()
  return { statuses, order: shareOf(last, count) }
}
