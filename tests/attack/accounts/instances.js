import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Devices } from './devices.js'
import { cookieText, headerOf, isCookie } from './model/cookies.js'
import { isTrusting } from './model/identities.js'
import { openProvider } from './provider.js'
import { requests } from './requests.js'

/** @typedef {import('./model/step.js').Action} Action */
/** @typedef {{ status: number, body: any }} Reply status 0 and 1 are those of a command */
/** @typedef {{ to: string, subject: string, text: string }} Message */
/** @typedef {Awaited<ReturnType<typeof openInstances>>} Instances */

/** Everything that counts by client: the model knows one client, and only the limits on emails. */
const settings = {
  REFRESH_TOKEN_REUSE_GRACE_SECONDS: '0',
  NOTICE_NEW_LOGIN: 'false',
  RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0',
  ...Object.fromEntries(
    [
      'AUTH_REQUESTS',
      'LOGIN_FAILURES',
      'LOGIN_FAILURES_PER_ADDRESS',
      'LOGIN_FAILURES_PER_ACCOUNT',
      'LOGINS',
      'REGISTER',
      'EMAIL_CHANGES',
      'PASSWORD_CHANGES',
      'TOKEN_FAILURES',
      'REFRESH_FAILURES',
      'MAIL_REQUESTS',
    ].map((name) => [`RATE_LIMIT_${name}`, '1000000']),
  ),
}

/**
 * Two instances of a created service in this process, on one database, with one clock that the caller moves.
 * @param {string} folder of the project
 * @param {Record<string, string>} database its settings; none: a new file
 * @param {boolean[]} strict for each instance, whether it has LOGIN_REQUIRES_VERIFIED_EMAIL
 * @param {{ now: () => number }} clock ahead of the real one, which stamps the emails of commands
 */
export async function openInstances(folder, database, strict, clock) {
  const load = (/** @type {string} */ path) => import(pathToFileURL(join(folder, path)).href)
  const [{ buildApp }, { openDatabase }, { migrate }] = await Promise.all(
    ['src/app.ts', 'src/db/database.ts', 'src/db/migrate.ts'].map(load),
  )
  const [{ testConfig }, flows, { deliverDue }, { runCommand }] = await Promise.all(
    ['settings', 'flows', 'mailer', 'commands'].map((name) => load(`test/support/${name}.ts`)),
  )
  const { hashSync } = createRequire(join(folder, 'package.json'))('@node-rs/bcrypt')
  const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-accounts-'))
  const url = { DATABASE_URL: `file:${join(scratch, 'accounts.db')}`, ...database }

  /** @type {Message[]} */
  const sent = []
  /** @type {string[]} */
  const errors = []
  /** The apps of the created project. @type {any[]} */
  const instances = []
  const devices = new Devices(testConfig({}).server.frontendUrl)
  const support = 'test/support/provider.ts'
  const provider = existsSync(join(folder, support)) ? await openProvider(await load(support)) : undefined
  for (const [instance, isStrict] of strict.entries()) {
    const env = {
      ...settings,
      ...url,
      LOGIN_REQUIRES_VERIFIED_EMAIL: String(isStrict),
      ...provider?.settingsOf(isTrusting(instance)),
    }
    const config = testConfig(env)
    await migrate(config.database)
    const app = await buildApp({
      config,
      db: openDatabase(config.database),
      now: clock.now,
      emailTime: (/** @type {number} */ ms) => new Date(clock.now() + ms),
      mailer: { send: async (/** @type {Message} */ message) => void sent.push(message) },
      logger: { level: 'error', stream: { write: (/** @type {string} */ line) => void errors.push(line) } },
    })
    await app.ready()
    instances.push(app)
  }

  /** @param {any} app @param {Action} action @returns {Promise<Reply>} */
  async function send(app, action) {
    const isNew = action.type === 'passkey-add'
    const credential = action.device && (isNew ? devices.create(action) : devices.sign(action))
    const [method, path, body] = requests[action.type]?.({ ...action, credential }) ?? []
    const { access, cookies, isElsewhere } = action
    const sent = isCookie(access) ? { cookie: headerOf(access) } : { authorization: `Bearer ${access}` }
    const headers = {
      ...(access !== undefined && sent),
      ...(!isElsewhere && { 'sec-fetch-site': 'same-origin' }),
    }
    const from = action.client && { remoteAddress: action.client }
    const reply = await app.inject({
      method,
      url: `/api/v1/${path}${cookies ? '?use_cookies=true' : ''}`,
      headers,
      ...from,
      ...(body && { body }),
    })
    // As if it was in the body: the model has one place for what lets the user in.
    const [, cookie] = /^([\w-]+=[^;]+);/.exec(String(reply.headers['set-cookie'] ?? '')) ?? []
    if (cookie) return { status: reply.statusCode === 204 ? 200 : 500, body: { cookie: cookieText(cookie) } }
    const answer = reply.body === '' ? undefined : reply.json()
    if (isNew && reply.statusCode === 201) devices.get(action.device).handle = action.handle
    if (action.type === 'passkeys' && answer?.passkeys)
      answer.list = answer.passkeys.map((/** @type {any} */ { id, name }) => `${id} ${name}`)
    if (action.type === 'identities' && answer?.identities)
      answer.list = answer.identities.map((/** @type {any} */ { email }) => email)
    if (action.type === 'provider-link' && answer?.url)
      answer.link = new URL(answer.url).searchParams.get('link')
    return { status: reply.statusCode, body: answer }
  }

  /** @param {any} app @param {string[]} line @returns {Promise<Reply>} */
  const command = (app, line) =>
    runCommand(app, ...line).then(
      (/** @type {string} */ text) => ({ status: 0, body: { token: /#token=(\S+)/.exec(text)?.[1] } }),
      (/** @type {Error} */ error) => {
        if (error.name !== 'CommandError') throw error
        return { status: 1, body: { code: error.message } }
      },
    )

  /** @param {Action} action */
  function fileOf({ name, email, password, isVerified, isActive }) {
    const names = { username: name, email, hashed_password: hashSync(password, 4) }
    const file = join(scratch, `${name}.ndjson`)
    writeFileSync(file, JSON.stringify({ ...names, is_verified: isVerified, is_active: isActive }))
    return file
  }

  return {
    errors,

    /** @param {Action} action @returns {Promise<Reply>} */
    async run(action) {
      const app = instances[action.instance ?? 0]
      if (action.type in requests) return send(app, action)
      if (provider && /^provider-/.test(action.type)) return provider.visit(app, action)
      if (action.type === 'clean-up') return { status: 0, body: await flows.runCleanUp(app) }
      const [, name = ''] = action.type.split('user ')
      if (name === '') return { status: 0, body: undefined }
      if (name === 'import') return command(app, [name, fileOf(action)])
      const given = name === 'create' ? [action.name, action.email] : [action.user, action.email]
      const line = [name, ...given.filter((each) => each !== undefined)]
      return command(app, name === 'delete' ? [...line, '--yes'] : line)
    },

    /** Does what waits, and hands over the emails that are due. @returns {Promise<Message[]>} */
    async emails() {
      for (const app of instances) await flows.handleRequests(app)
      for (const app of instances) await deliverDue(app)
      return sent.splice(0)
    },

    async close() {
      for (const app of instances) await app.close()
      for (const app of instances) await app.db.close()
      provider?.close()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
