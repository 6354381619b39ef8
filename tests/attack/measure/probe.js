import { setTimeout as delay } from 'node:timers/promises'
import { openConnection } from './connection.js'
import { percentile } from './statistics.js'

/**
 * What one client saw of the service.
 * @typedef {object} Seen
 * @property {number} count of requests
 * @property {number} bad answers with another status than 200, and connections that were closed without one
 * @property {number} p50 response time in milliseconds
 * @property {number} p99
 * @property {number} max
 * @property {number} late p99 of how late the requests were sent: the part of the times that this process may add
 */

/**
 * Sends the same request at a fixed rate, whether or not earlier ones are answered: waiting for each answer would hide how
 * many more a slow service keeps waiting.
 * @param {string} url
 * @param {string} raw
 * @param {{ everyMs: number, inFlight?: number }} rate beyond `inFlight` none is sent until an answer arrives
 * @param {Promise<unknown>} until when it settles, the last request is sent
 * @returns {Promise<Seen>}
 */
export async function probe(url, raw, { everyMs, inFlight = Number.POSITIVE_INFINITY }, until) {
  /** @type {ReturnType<typeof openConnection>[]} */
  const idle = []
  /** @type {number[]} */
  const times = []
  /** @type {number[]} */
  const lateness = []
  let [bad, waiting] = [0, 0]
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  over.catch(() => {})

  const once = async () => {
    const connection = idle.pop() ?? openConnection(url)
    const sentAt = performance.now()
    waiting += 1
    try {
      const { status, at } = await connection.send(raw)
      times.push(at - sentAt)
      if (status !== 200) bad += 1
      idle.push(connection)
    } catch {
      bad += 1
    } finally {
      waiting -= 1
    }
  }

  const running = []
  const startedAt = performance.now()
  for (let number = 0; !isOver; number += 1) {
    const due = startedAt + number * everyMs
    await delay(Math.max(0, due - performance.now()))
    lateness.push(performance.now() - due)
    if (waiting < inFlight) running.push(once())
  }
  await Promise.all(running)
  for (const connection of idle) connection.close()
  return {
    count: running.length,
    bad,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    max: Math.max(...times),
    late: percentile(lateness, 0.99),
  }
}
