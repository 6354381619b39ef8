import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { rawRequest } from '../measure/connection.js'
import { probe } from '../measure/probe.js'

const PASSWORD = 'Correct-Horse-7'

/** @typedef {{ username: string, token: string, address: string }} Account */
/** @typedef {{ reader: Account, user: Account }} Users */

/**
 * Creates a user and logs in, from an address of their own.
 * @param {import('../service.js').Attacked} service
 * @param {string} username
 * @param {string} address
 * @returns {Promise<Account>}
 */
export async function createAccount({ request }, username, address) {
  const headers = { 'x-forwarded-for': address }
  const user = { username, email: `${username}@example.com`, password: PASSWORD }
  await request('POST', '/api/v1/auth/register', user, headers)
  const { body } = await request('POST', '/api/v1/auth/login', { username, password: PASSWORD }, headers)
  return { username, token: body.access_token, address }
}

/**
 * Uses the service from other addresses, until `until` settles: one client reads, and one logs in.
 * @param {string} url
 * @param {Users} users
 * @param {Promise<unknown>} until
 */
export async function watch(url, { reader, user }, until) {
  const live = rawRequest('GET', '/health/live')
  const me = rawRequest('GET', '/api/v1/users/me', reader)
  const body = { username: user.username, password: PASSWORD }
  const login = rawRequest('POST', '/api/v1/auth/login', { address: user.address, body })
  const [seenLive, seenMe, seenLogin] = await Promise.all([
    probe(url, live, { everyMs: 20 }, until),
    probe(url, me, { everyMs: 20 }, until),
    // Logins in flight count as failures until they succeed.
    probe(url, login, { everyMs: 400, inFlight: 1 }, until),
  ])
  return { live: seenLive, me: seenMe, login: seenLogin }
}

/** The memory of a process in MiB. @param {number} pid */
export const memoryOf = (pid) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024

/**
 * Resolves after `seconds`, and not before the clients have got `responses`.
 * @param {import('./start-flooder.js').Flooder[]} flooders
 * @param {{ seconds: number, responses: number }} form
 */
export async function flooded(flooders, { seconds, responses }) {
  await delay(seconds * 1_000)
  for (;;) {
    const reports = await Promise.all(flooders.map((flooder) => flooder.report()))
    const statuses = total(reports.map((report) => report.statuses))
    const cpuShare = reports.reduce((sum, report) => sum + report.cpuShare, 0)
    const count = Object.values(statuses).reduce((sum, number) => sum + number, 0)
    if (count >= responses) return { statuses, count, cpuShare }
    await delay(50)
  }
}

/** @param {Record<string, number>[]} counts */
function total(counts) {
  /** @type {Record<string, number>} */
  const sum = {}
  for (const [key, count] of counts.flatMap((each) => Object.entries(each)))
    sum[key] = (sum[key] ?? 0) + count
  return sum
}
