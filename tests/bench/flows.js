import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { devScript } from '../support/dev.js'
import { sendJson } from '../support/request.js'
import { start } from './service.js'

/** PostgreSQL may use a generic plan for a prepared statement after five custom plans. */
const OFTEN = 7

/** Of an account of profile B, after all changes. */
const LAST_PASSWORD = 'Other-Horse-9'

/**
 * Uses every endpoint, command and job of a service of mode complete at least once.
 * @param {string} project a built project
 * @param {'A' | 'B'} profile
 * @param {Record<string, string>} settings
 */
export async function useEverything(project, profile, settings) {
  // The script dev, whose mailbox shows the emails.
  const service = await start(project, devScript(project), settings)
  try {
    for (let number = 0; number < OFTEN; number += 1)
      await useAccount(service.url, profile, `user-${number}`, number === 0)
    /** @param {string[]} args */
    const command = (...args) => runIn(project, settings, ['dist/commands/user.js', ...args])
    for (const name of ['deactivate', 'activate', 'verify', 'reset-link', 'end-sessions'])
      command(name, 'user-0')
    command('list', '--after', '100')
    if (profile === 'B') {
      command('promote', 'user-0')
      await useSuperuserRoutes(service.url, 'user-0')
      command('demote', 'user-0')
    }
    command('delete', 'user-0', '--yes')
  } finally {
    service.child.kill()
  }
}

/**
 * Claims some mails of the backlog, and cleans up.
 * @param {string} project a built project
 * @param {Record<string, string>} settings
 */
export const runJobs = (project, settings) => runIn(project, settings, ['--input-type=module', '-e', JOBS])

/**
 * @param {string} url
 * @param {'A' | 'B'} profile
 * @param {string} username
 * @param {boolean} isThorough with one session more than the limit. Its account remains, for the commands
 */
async function useAccount(url, profile, username, isThorough) {
  const email = `${username}@example.com`
  let password = 'Correct-Horse-7'
  /**
   * @param {string} method
   * @param {string} path
   * @param {number} status the expected status
   * @param {{ body?: object, token?: string }} [options]
   */
  async function send(method, path, status, { body, token } = {}) {
    const response = await sendJson(url + path, method, { body, token })
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    return response.text && JSON.parse(response.text)
  }
  /** @param {string} path @param {number} status @param {object} body @param {string} [token] */
  const post = (path, status, body, token = '') =>
    send('POST', `/api/v1/auth/${path}`, status, { body, token })
  const logIn = () => post('login', 200, { username, password })
  /**
   * Requested mails are queued after the response, in their turn.
   * @param {string} to
   * @param {string} [kind] a part of the name of the template
   * @returns {Promise<string>}
   */
  const mailedToken = async (to, kind = '') => {
    const { messages } = await send('GET', '/dev/mailbox/messages', 200)
    const { token, code } =
      messages.find(
        (/** @type {any} */ mail) =>
          mail.to === to && mail.template.includes(kind) && (mail.token ?? mail.code),
      ) ?? {}
    return token ?? code ?? delay(500).then(() => mailedToken(to, kind))
  }

  const end = async () => {
    if (isThorough) return
    const { access_token: token } = await logIn()
    await send('GET', '/api/v1/users/me/export', 200, { token })
    await send('DELETE', '/api/v1/users/me', 204, { token, body: { current_password: password } })
  }

  await post('register', 201, { username, email, password })
  await post('register', 409, { username, email, password })
  await post('verify-email', 400, { token: 'ABCD-EFGH-JKMN-PQRS' })
  await post('login', 401, { username, password: 'Wrong-Horse-7' })
  const { access_token: token, refresh_token } = await logIn()
  await post('login', 200, { email, password })
  await send('GET', '/api/v1/users/me', 200, { token })
  await post('verify-email', 200, { token: await mailedToken(email, 'verification') })
  await send('PUT', '/api/v1/users/me', 200, { token, body: { email: `new-${email}` } })
  const confirmation = await mailedToken(`new-${email}`, 'confirm')
  await post('verify-email', 200, { token: confirmation }, token)
  await send('PUT', '/api/v1/users/me', 200, { token, body: { email: `newer-${email}` } })
  await post('undo-email-change', 200, { token: await mailedToken(email, 'undo') })
  await post('resend-verification', 202, { email })
  await post('forgot-password', 202, { email })
  password = 'Better-Horse-8'
  const reset = await mailedToken(email, 'reset')
  await post('reset-password', 200, { token: reset, new_password: password })
  await post('refresh', 401, { refresh_token })

  // One session more than the limit of a user.
  for (let session = 0; session < (isThorough ? 51 : 1); session += 1) await logIn()
  const session = await logIn()
  const used = { refresh_token: session.refresh_token }
  const next = await post('refresh', 200, used)
  await post('refresh', 200, used)
  await post('refresh', 200, { refresh_token: next.refresh_token })
  await post('refresh', 401, used)
  if (profile === 'A') {
    await end()
    return
  }

  const { refresh_token: one } = await logIn()
  await post('logout', 204, { refresh_token: one })
  await post('logout', 204, {}, (await logIn()).access_token)
  const { access_token: device } = await logIn()
  const { devices } = await send('GET', '/api/v1/auth/devices', 200, { token: device })
  await send('DELETE', `/api/v1/auth/devices/${devices[0].id}`, 204, { token: device })
  await send('DELETE', '/api/v1/auth/devices', 204, { token: (await logIn()).access_token })
  const { access_token: before } = await logIn()
  const change = { current_password: password, new_password: LAST_PASSWORD }
  const { access_token: after } = await post('change-password', 200, change, before)
  await send('POST', '/api/v1/auth/logout-all', 204, { token: after })
  password = LAST_PASSWORD
  await end()
}

/**
 * @param {string} url
 * @param {string} username a superuser with the last password
 */
async function useSuperuserRoutes(url, username) {
  const login = await sendJson(`${url}/api/v1/auth/login`, 'POST', {
    body: { username, password: LAST_PASSWORD },
  })
  const { access_token: token } = JSON.parse(login.text)
  /** @param {string} method @param {string} path @param {number} status */
  const send = async (method, path, status) => {
    const response = await sendJson(`${url}/api/v1/admin/users${path}`, method, { token })
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    return response.text && JSON.parse(response.text)
  }
  const { users, next_cursor } = await send('GET', '?limit=2', 200)
  await send('GET', `?limit=2&cursor=${next_cursor}`, 200)
  // Superusers cannot deactivate themselves.
  const { id } = users.find((/** @type {any} */ user) => user.username !== username)
  await send('GET', `/${id}`, 200)
  for (const action of ['deactivate', 'activate', 'end-sessions']) await send('POST', `/${id}/${action}`, 204)
}

/** The clean-up, after some of the mails that are due. */
const JOBS = `
import { buildApp } from './dist/app.js'
import { openDatabase } from './dist/db/database.js'
import { claimNext } from './dist/email/workers.js'
import { deliver } from './dist/email/delivery.js'
import { readConfig } from './dist/config.js'
import { cleanUp } from './dist/jobs/clean-up.js'
const config = readConfig()
const db = openDatabase(config.database)
const app = await buildApp({ config, db, now: Date.now, mailer: { send: async () => {} } })
const { delivery } = app.email
for (let count = 0; count < 50; count += 1) {
  await deliver(delivery, await claimNext(delivery))
  // As while emails to this domain hang.
  await deliver(delivery, await claimNext(delivery, 'busy.example'))
}
await cleanUp(app)
await app.close()
await db.close()
`

/**
 * @param {string} project
 * @param {Record<string, string>} settings
 * @param {string[]} args arguments of node
 */
function runIn(project, settings, args) {
  execFileSync(process.execPath, args, { cwd: project, env: { ...process.env, ...settings }, stdio: 'pipe' })
}
