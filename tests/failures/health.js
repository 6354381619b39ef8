import { setTimeout as delay } from 'node:timers/promises'

const INTERVAL_MS = 50

/**
 * Polls both health checks of all instances, as an orchestrator does.
 * @param {import('./clients.js').Sender} sender
 * @param {import('./watch.js').Watch} watch
 */
export function startHealthChecks({ once, urls }, watch) {
  let isStopping = false
  /** @type {((status: number | undefined) => void)[]} */
  let waiting = []

  /** @param {string} path */
  const ask = (path) => Promise.all(urls.map((url) => once('GET', path, {}, url)))

  async function checkLive() {
    while (!isStopping) {
      for (const answer of await ask('/health/live'))
        if (answer && answer.status !== 200) watch.faults.push(`/health/live: ${answer.status}`)
      await delay(INTERVAL_MS)
    }
  }
  async function checkReady() {
    while (!isStopping) {
      const statuses = new Set((await ask('/health/ready')).map((answer) => answer?.status))
      // Instances that differ: not yet.
      if (statuses.size === 1) {
        const told = waiting
        waiting = []
        for (const tell of told) tell([...statuses][0])
      }
      await delay(INTERVAL_MS)
    }
  }

  const checking = Promise.all([checkLive(), checkReady()])
  return {
    /** Resolves when /health/ready of all returns this status. @param {number} [status] undefined for no connection */
    async ready(status) {
      for (;;) {
        const seen = await new Promise((resolve) => waiting.push(resolve))
        if (seen === status) return
      }
    },
    async stop() {
      isStopping = true
      await checking
    },
  }
}
