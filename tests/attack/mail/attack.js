import { setTimeout as delay } from 'node:timers/promises'
import { newDatabase } from '../database.js'
import { startAttacked } from '../service.js'
import { attackWithNames } from './crafted.js'
import { hostileDomains, startMailServer } from './mail-server.js'
import { arrival, register, requestReset } from './users.js'

/** Mails of each kind that the attacker causes. */
const HOSTILE = 12
const GOAL_MS = 5_000

/** The short form counts arrivals, and has no goal in milliseconds. @typedef {{ resets: number, isTimed: boolean }} Form */
/** @type {Form} */
const full = { resets: 10, isTimed: true }
/** @type {Form} */
export const short = { resets: 2, isTimed: false }

/**
 * Sends mails to hostile domains and crafted names while other users reset their passwords.
 * @param {import('../target.js').Target} target
 * @param {Form} [form]
 * @returns {Promise<import('../run.js').Figure[]>}
 */
export async function attackMail(target, form = full) {
  if (!target.variant.startsWith('complete'))
    return [{ what: 'mail', value: 'does not apply: no mails', goal: 'mode complete', isMissed: false }]
  /** @type {[what: string, domain?: string][]} */
  const attacks = [['no attack'], ...hostileDomains]
  const figures = []
  for (const [what, domain] of form.isTimed ? attacks : attacks.slice(-1))
    figures.push(
      await withService(target, (service, server) => timeResets(service, server, { what, domain }, form)),
    )
  return [...figures, await withService(target, attackWithNames)]
}

/**
 * Runs an attack on a new service and a new mail server.
 * @template Result
 * @param {import('../target.js').Target} target
 * @param {(service: import('../service.js').Attacked, server: import('./mail-server.js').MailServer) => Promise<Result>} attack
 */
async function withService(target, attack) {
  const server = await startMailServer()
  const database = await newDatabase(target)
  // One name in each profile. The service trusts X-Forwarded-For, which tells the clients apart.
  const service = await startAttacked(target, {
    ...database.settings,
    TRUST_PROXY: '127.0.0.1',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(server.port),
    EMAIL_HOST: '127.0.0.1',
    EMAIL_PORT: String(server.port),
  })
  try {
    return await attack(service, server)
  } finally {
    await service.stop()
    await database.drop()
    server.stop()
  }
}

/**
 * @param {import('../service.js').Attacked} service
 * @param {import('./mail-server.js').MailServer} server
 * @param {{ what: string, domain?: string | undefined }} attack its hostile domain
 * @param {Form} form
 * @returns {Promise<import('../run.js').Figure>}
 */
async function timeResets(service, server, { what, domain }, { resets, isTimed }) {
  const users = Array.from({ length: resets }, (_, number) => `user${number}@healthy.example`)
  for (const email of users) {
    await register(service, email, email.split('@', 1)[0] ?? '')
    await arrival(server, email, /^subject: /i)
  }
  const hostile = domain === undefined ? 0 : HOSTILE
  for (let number = 0; number < hostile; number += 1) {
    const email = `mallory${number}@${domain}`
    await register(service, email, `mallory${number}`)
    await requestReset(service, email)
  }

  const arrivals = []
  for (const email of users) {
    const requestedAt = performance.now()
    await requestReset(service, email)
    arrivals.push(arrival(server, email, /^subject: .*reset/i).then(({ at }) => at - requestedAt))
    await delay(isTimed ? 1_000 : 0)
  }
  const slowest = Math.max(...(await Promise.all(arrivals)))
  return {
    what: `${what}, ${hostile * 2} mails`,
    value: `${arrivals.length} resets arrive${isTimed ? `, the slowest after ${(slowest / 1_000).toFixed(1)} s` : ''}`,
    goal: isTimed ? `under ${GOAL_MS / 1_000} s` : 'all',
    isMissed: isTimed && slowest >= GOAL_MS,
  }
}
