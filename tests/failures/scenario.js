import { createSender, startClients } from './clients.js'
import { startHealthChecks } from './health.js'
import { createService } from './service.js'
import { verifyAccounts } from './verify.js'
import { createWatch } from './watch.js'

const CLIENTS = 8

/** Answers to each client between two failures, so that every failure interrupts work of all clients. */
const ANSWERS_BETWEEN = 15

/** Maximum time from the end of a failure until /health/ready returns 200, plus the usual response time. */
const RECOVERY_MS = 10_000

/** @typedef {{ service: import('./service.js').Service, watch: import('./watch.js').Watch, health: ReturnType<typeof startHealthChecks>, clients: ReturnType<typeof startClients> }} Parts */

/** @typedef {{ counts: Record<string, unknown>, faults: string[] }} Report */

/**
 * Injects failures into a service under load, and checks that no acknowledged change is lost.
 * @param {object} options
 * @param {string} options.project a built service of mode complete, profile B
 * @param {string} options.databaseUrl
 * @param {number} options.times
 * @param {(number: number, parts: Parts) => Promise<void>} options.fail injects a failure; resolves when it is over
 * @param {(serviceUrl: string) => Promise<string[]>} [options.checkDatabase] runs after the load; resolves to faults
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
      if (ms > RECOVERY_MS + watch.usualMs()) faults.push(`not ready until ${ms} ms after the failure ended`)
      await clients.each('answered', 1)
    }
    await clients.each('answered', ANSWERS_BETWEEN)
    await clients.stop()
    await health.stop()
    faults.push(...((await checkDatabase?.(service.url)) ?? []))
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
