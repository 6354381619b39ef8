import { setTimeout as delay } from 'node:timers/promises'

const INTERVAL_MS = 50

/**
 * Polls both health checks, as an orchestrator does.
 * @param {import('./clients.js').Sender} sender
 * @param {import('./watch.js').Watch} watch
 */
export function startHealthChecks({ once }, watch) {
  let isStopping = false
  /** @type {((status: number | undefined) => void)[]} */
  let waiting = []

  async function checkLive() {
    while (!isStopping) {
      const answer = await once('GET', '/health/live')
      if (answer && answer.status !== 200) watch.faults.push(`/health/live: ${answer.status}`)
      await delay(INTERVAL_MS)
    }
  }
  async function checkReady() {
    while (!isStopping) {
      const answer = await once('GET', '/health/ready')
      const told = waiting
      waiting = []
      for (const tell of told) tell(answer?.status)
      await delay(INTERVAL_MS)
    }
  }

  const checking = Promise.all([checkLive(), checkReady()])
  return {
    /** Resolves when /health/ready returns this status. @param {number} [status] undefined for no connection */
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
