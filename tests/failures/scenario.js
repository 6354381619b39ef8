import { createSender, startClients } from './clients.js'
import { startHealthChecks } from './health.js'
import { createService } from './service.js'
import { verifyAccounts } from './verify.js'
import { createWatch } from './watch.js'

const CLIENTS = 8

/** Answers that each client gets between two failures, so that a failure meets all of them in the middle of something. */
const ANSWERS_BETWEEN = 15

/** How soon after the return of what was gone /health/ready says so. */
const RECOVERY_MS = 10_000

/** @typedef {{ service: import('./service.js').Service, watch: import('./watch.js').Watch, health: ReturnType<typeof startHealthChecks>, clients: ReturnType<typeof startClients> }} Parts */

/** @typedef {{ counts: Record<string, unknown>, faults: string[] }} Report */

/**
 * Lets failures happen to a service under load, and looks whether anything that it acknowledged is lost.
 * @param {object} options
 * @param {string} options.project a built service of mode complete, profile B
 * @param {string} options.databaseUrl
 * @param {number} options.times
 * @param {(number: number, parts: Parts) => Promise<void>} options.fail resolves when what was gone is back
 * @param {() => Promise<string[]>} [options.checkDatabase] at the end of the load, for what should not be
 * @returns {Promise<Report>}
 */
export async function underLoad({ project, databaseUrl, times, fail, checkDatabase }) {
  const watch = createWatch()
  const { faults } = watch
  const service = await createService(project, databaseUrl)
  await service.listens()
  const sender = createSender(service.url, watch)
  const health = startHealthChecks(sender, watch)
  const clients = startClients(sender, CLIENTS)
  /** @type {number[]} */
  const recoveries = []
  /** @type {Record<string, number>} */
  let verified = {}

  async function run() {
    for (let number = 0; number < times; number += 1) {
      await clients.each('answered', ANSWERS_BETWEEN)
      await fail(number, { service, watch, health, clients })
      const back = performance.now()
      await health.ready(200)
      const ms = Math.round(performance.now() - back)
      recoveries.push(ms)
      if (ms > RECOVERY_MS) faults.push(`ready ${ms} ms after the return only`)
      await clients.each('answered', 1)
    }
    await clients.each('answered', ANSWERS_BETWEEN)
    await clients.stop()
    await health.stop()
    faults.push(...((await checkDatabase?.()) ?? []))
    const verification = await verifyAccounts(sender, clients.accounts)
    verified = verification.counts
    faults.push(...verification.faults)
    const code = await service.stop()
    if (code !== 0) faults.push(`stopped with exit code ${code}`)
  }

  try {
    await Promise.race([run(), service.crashed])
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error))
    sender.close()
    await service.kill()
    await health.stop()
  }
  faults.push(...watch.slowFaults(), ...service.faults())
  return {
    counts: {
      failures: recoveries.length,
      answers: watch.statuses,
      'answers during failures': watch.duringOutages,
      'slowest answer, ms': Math.round(watch.slowest.answer),
      'slowest 503, ms': Math.round(watch.slowest.unavailable),
      'ready again after, ms': recoveries,
      ...verified,
    },
    faults,
  }
}
