import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** @typedef {ReturnType<typeof startFlooder>} Flooder */

/**
 * Starts a client that attacks.
 * @param {string} url
 * @param {Omit<import('./flooder.js').Job, 'port'>} job
 */
export function startFlooder(url, job) {
  const child = fork(join(import.meta.dirname, 'flooder.js'))
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.send({ port: Number(new URL(url).port), ...job })
  return {
    /** @returns {Promise<import('./flooder.js').Report>} */
    async report() {
      child.send('report')
      const [report] = await once(child, 'message')
      return report
    },
    /** Also closes its connections. */
    async stop() {
      const gone = once(child, 'exit')
      kill()
      await gone
      process.off('exit', kill)
    },
  }
}
