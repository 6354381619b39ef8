import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { sendJson } from '../support/request.js'
import { start } from './service.js'

/** PostgreSQL may use a generic plan for a prepared statement after five custom plans. */
const OFTEN = 7

/**
 * Uses every endpoint, command and job of a service of mode complete at least once.
 * @param {string} project a built project
 * @param {'A' | 'B'} profile
 * @param {Record<string, string>} settings
 */
export async function useEverything(project, profile, settings) {
  // In development the mailbox shows the mails.
  const service = await start(project, 'dist/server.js', { ...settings, NODE_ENV: 'development' })
  try {
    for (let number = 0; number < OFTEN; number += 1)
      await useAccount(service.url, profile, `user-${number}`, number === 0)
  } finally {
    service.child.kill()
  }
  useCommands(project, settings, profile, 'user-0')
  runIn(project, settings, ['--input-type=module', '-e', JOBS])
}

/**
 * @param {string} url
 * @param {'A' | 'B'} profile
 * @param {string} username
 * @param {boolean} isThorough
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

  /** The last calls of the user. */
  const end = async () => {
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
  await send('PUT', '/api/v1/users/me', 200, { token, body: { email: `new-${email}` } })
  await post('verify-email', 200, { token: await mailedToken(`new-${email}`) })
  await send('PUT', '/api/v1/users/me', 200, { token, body: { email: `newer-${email}` } })
  await post('undo-email-change', 200, { token: await mailedToken(`new-${email}`) })
  await post('resend-verification', 202, { email: `new-${email}` })
  await post('forgot-password', 202, { email: `new-${email}` })
  password = 'Better-Horse-8'
  const reset = await mailedToken(`new-${email}`, 'reset')
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
  const change = { current_password: password, new_password: 'Other-Horse-9' }
  const { access_token: after } = await post('change-password', 200, change, before)
  await send('POST', '/api/v1/auth/logout-all', 204, { token: after })
  password = 'Other-Horse-9'
  await end()
}

/**
 * Runs the operator's commands.
 * @param {string} project
 * @param {Record<string, string>} settings
 * @param {'A' | 'B'} profile
 * @param {string} username
 */
function useCommands(project, settings, profile, username) {
  const commands = ['deactivate', 'activate', 'verify', ...(profile === 'B' ? ['promote', 'demote'] : [])]
  for (const command of commands) runIn(project, settings, ['dist/commands/user.js', command, username])
}

/** The background jobs: delivery of due mails, and the clean-up. */
const JOBS = `
import { buildApp } from './dist/app.js'
import { openDatabase } from './dist/db/database.js'
import { readConfig } from './dist/environment.js'
import { cleanUp } from './dist/jobs/clean-up.js'
const config = readConfig()
const db = openDatabase(config.database)
const app = await buildApp({ config, db, now: Date.now, mailer: { send: async () => {} } })
if (!(await app.mail.delivery.deliverNext())) throw new Error('no mail was due')
while (await app.mail.delivery.deliverNext());
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
