import { setTimeout as delay } from 'node:timers/promises'
import { headersOf } from './mail-server.js'

const PASSWORD = 'Correct-Horse-7'
/** Only a lost mail takes this long. */
const LOST_AFTER_MS = 300_000

let clients = 0
/** Each request comes from another client, as far as the limits know. */
const fromNewClient = () => ({ 'x-forwarded-for': `2001:db8:${(clients++).toString(16)}::1` })

/** @param {import('../service.js').Attacked} service @param {string} email @param {string} username */
export const register = ({ request }, email, username) =>
  request('POST', '/api/v1/auth/register', { email, username, password: PASSWORD }, fromNewClient())

/** @param {import('../service.js').Attacked} service @param {string} email */
export const requestReset = ({ request }, email) =>
  request('POST', '/api/v1/auth/forgot-password', { email }, fromNewClient())

/**
 * Resolves to the first mail to a recipient with this subject.
 * @param {import('./mail-server.js').MailServer} server
 * @param {string} email
 * @param {RegExp} subject matches its line in the headers
 * @returns {Promise<import('./mail-server.js').Mail>}
 */
export async function arrival({ mails }, email, subject) {
  const giveUpAt = performance.now() + LOST_AFTER_MS
  for (;;) {
    const mail = mails.find(
      (each) => each.to.includes(email) && headersOf(each).some((line) => subject.test(line)),
    )
    if (mail) return mail
    if (performance.now() > giveUpAt) throw new Error(`No mail ${subject} to ${email}`)
    await delay(20)
  }
}
