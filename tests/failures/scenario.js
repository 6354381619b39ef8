import { setTimeout as delay } from 'node:timers/promises'
import { sendJson } from '../support/request.js'
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

/** @typedef {import('./service.js').Service} Service */

/**
 * @typedef {object} Parts
 * @property {Service} service the first instance
 * @property {import('./watch.js').Watch} watch
 * @property {ReturnType<typeof startHealthChecks>} health
 * @property {ReturnType<typeof startClients>} clients
 * @property {(instance: Instance) => Promise<Service>} add starts another instance, which then gets requests too
 * @property {(service: Service) => Promise<void>} retire stops an instance that gets no more requests
 */

/** @typedef {import('./service.js').Instance} Instance */

/** @typedef {{ counts: Record<string, unknown>, faults: string[] }} Report */

/**
 * What a scenario gets.
 * @typedef {object} Tools
 * @property {number} times how often the failure happens
 * @property {string} scratch a folder for its files
 * @property {(database: Database) => Promise<string>} project creates and builds a service of mode complete, profile B
 * @property {(url: string) => Promise<string>} [through] the URL for the service of the server at `url`
 */

/** @typedef {'postgres' | 'sqlite'} Database */

/**
 * A failure and what must hold: nothing that was acknowledged is lost, nothing that was ended comes back, only
 * documented statuses, and recovery without a restart of the service.
 * @typedef {object} Scenario
 * @property {string} title
 * @property {(() => string | undefined)[]} needs return what is missing on this machine
 * @property {number} shortTimes repetitions in `npm test`; 0: runs only with `npm run failures`
 * @property {(tools: Tools) => Promise<Report>} run
 */

/**
 * Injects failures into services under load, and checks that no acknowledged change is lost.
 * @param {object} options
 * @param {Instance[]} options.instances of mode complete, profile B, which share the database
 * @param {string} options.databaseUrl
 * @param {number} options.times
 * @param {(number: number, parts: Parts) => Promise<void>} options.fail injects a failure; resolves when it is over
 * @param {(serviceUrl: string) => Promise<string[]>} [options.checkDatabase] runs after the load; resolves to faults
 * @returns {Promise<Report>}
 */
export async function underLoad({ instances, databaseUrl, times, fail, checkDatabase }) {
  const watch = createWatch()
  const { faults } = watch
  const sender = createSender(watch)
  /** @type {Set<Service>} */
  const running = new Set()
  /** @type {Service[]} */
  const all = []
  /** @type {(error: Error) => void} */
  let crash = () => {}
  const crashed = new Promise((_resolve, reject) => {
    crash = reject
  })
  crashed.catch(() => {})

  /** @param {Instance} instance */
  async function add(instance) {
    const service = await createService(instance, databaseUrl)
    service.crashed.catch(crash)
    running.add(service)
    all.push(service)
    await service.listens()
    // As a load balancer does.
    while (!(await isReady(service.url))) await Promise.race([delay(50), service.crashed])
    sender.add(service.url)
    return service
  }
  /** @param {Service} service */
  async function retire(service) {
    await sender.remove(service.url)
    running.delete(service)
    const code = await service.stop()
    if (code !== 0) faults.push(`stopped with exit code ${code}`)
  }

  for (const instance of instances) await add(instance)
  const service = /** @type {Service} */ (all[0])
  const health = startHealthChecks(sender, watch)
  const clients = startClients(sender, CLIENTS)
  /** @type {number[]} */
  const recoveries = []
  /** @type {Record<string, number>} */
  let verified = {}

  async function run() {
    for (let number = 0; number < times; number += 1) {
      await clients.each('answered', ANSWERS_BETWEEN)
      await fail(number, { service, watch, health, clients, add, retire })
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
    faults.push(...((await checkDatabase?.(sender.urls[0] ?? '')) ?? []))
    const verification = await verifyAccounts(sender, clients.accounts)
    verified = verification.counts
    faults.push(...verification.faults)
    for (const service of running) await retire(service)
  }

  try {
    await Promise.race([run(), crashed])
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error))
    sender.close()
    watch.outage('process')
    for (const service of running) await service.kill()
    await health.stop()
  }
  faults.push(...watch.slowFaults(), ...all.flatMap((service) => service.faults()))
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

/** No pooler is in front of the server. @param {string} url */
export const direct = async (url) => url

/** @param {string} url @returns {Promise<boolean>} false also if nothing listens */
const isReady = (url) =>
  sendJson(`${url}/health/ready`, 'GET').then(
    ({ status }) => status === 200,
    () => false,
  )
