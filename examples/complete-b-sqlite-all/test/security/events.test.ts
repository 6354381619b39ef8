import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { problems } from '../../src/errors/api-error.ts'
import { createHashQueue } from '../../src/passwords/hash-queue.ts'
import {
  bearer,
  changeUser,
  deleteMe,
  getExport,
  getMe,
  logIn,
  password,
  putMe,
  register,
  tryLogIn,
} from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { importedLine, importFile } from '../support/commands.ts'
import {
  forgotPassword,
  post,
  refresh,
  registerVerified,
  requestReset,
  resetPassword,
  runCleanUp,
  startSession,
  tokensIn,
  undoEmailChange,
  verify,
} from '../support/flows.ts'
import { mailedToken } from '../support/mailbox.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const filesIn = (folder: string, ending: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => read(`${folder}${path}`))

/** The rows of the table in docs/security.md. */
const documented = [
  ...read('docs/security.md').matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| (\w+) \|([^|]*)\|/gm),
].map(([, name = '', level = '', fields = '']) => ({
  name,
  level: { info: 30, warn: 40 }[level],
  fields: [...fields.matchAll(/`(\w+)`/g)].map(([, field]) => field),
}))

/** Fields that are not listed per event. */
const common = ['level', 'time', 'pid', 'hostname', 'reqId', 'event', 'address', 'command', 'msg']

async function appWithLog(env: Record<string, string> = {}) {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = await createTestApp(env, { level: 'trace', stream })
  const events = () => lines.map((line) => JSON.parse(line)).filter(({ event }) => event)
  return { app, lines, events }
}

/** Runs `npm run user -- …` on the app's database. */
async function user({ db, config, log, now }: TestApp, ...line: string[]) {
  const readPassword = async () => 'Another-Horse-8'
  return runUserCommand(await loadUserCommands(), line, { db, config, log, now, readPassword })
}

async function loggedIn(app: TestApp) {
  const { id } = await register(app)
  return { id, token: await logIn(app) }
}

/** Settings that an event needs. */
const settings: Record<string, Record<string, string>> = {
  'registration.refused': { REGISTRATION_ENABLED: 'false' },
  'login.not_verified': { LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' },
}

/** What causes each event, once. */
const actions: Record<string, (app: TestApp) => Promise<unknown>> = {
  'user.registered': (app) => register(app),
  'user.duplicate': async (app) => {
    await register(app, 'bob')
    await putMe(app, (await loggedIn(app)).token, { email: 'bob@example.com' })
  },
  'registration.refused': (app) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      body: { username: 'alice', email: 'alice@example.com', password },
    }),
  'login.succeeded': loggedIn,
  'login.failed': async (app) => {
    await register(app)
    await tryLogIn(app, 'alice', 'Wrong-Horse-7')
  },
  'access_token.missing': (app) => getMe(app),
  'access_token.expired': async (app) => {
    const { token } = await loggedIn(app)
    app.clock.advance(24 * 60 * 60)
    await getMe(app, token)
  },
  'access_token.refused': async (app) => {
    const { id, token } = await loggedIn(app)
    await changeUser(app, id, { isActive: false })
    await getMe(app, token)
  },
  'reauthentication.failed': async (app) => {
    const { token } = await loggedIn(app)
    await putMe(app, token, { email: 'new@example.com', current_password: 'Wrong-Horse-7' })
  },
  'reauthentication.required': async (app) => {
    const { token } = await loggedIn(app)
    app.clock.advance(11 * 60)
    await putMe(app, token, { email: 'new@example.com' })
  },
  'user.email_changed': async (app) => changeEmail(app, (await loggedIn(app)).token, 'new@example.com'),
  'user.exported': async (app) => getExport(app, (await loggedIn(app)).token),
  'user.deleted': async (app) => deleteMe(app, (await loggedIn(app)).token),
  'limit.reached': async (app) => {
    const { token } = await loggedIn(app)
    for (const email of ['one@example.com', 'two@example.com', 'three@example.com'])
      await putMe(app, token, { email })
  },
  'password.unusable_hash': async (app) => {
    const { id } = await register(app)
    await changeUser(app, id, { hashedPassword: 'damaged' })
    await tryLogIn(app, 'alice', password)
  },
  'proxy.not_trusted': (app) =>
    app.inject({ url: '/health/live', headers: { 'x-forwarded-for': '192.0.2.1' } }),
  'user.created': (app) => user(app, 'create', 'alice', 'alice@example.com'),
  'user.activated': async (app) => user(app, 'activate', (await register(app)).username),
  'user.deactivated': async (app) => user(app, 'deactivate', (await register(app)).username),
  'password.changed': async (app) => user(app, 'password', (await register(app)).username),
  'users.imported': async (app) => user(app, 'import', await importFile([importedLine('alice')])),
  'sessions.ended': async (app) => user(app, 'end-sessions', (await register(app)).username),
  'access.forbidden': async (app) => {
    app.get('/admin', { onRequest: [app.requireUser, app.requireSuperuser] }, async () => ({}))
    await app.inject({ url: '/admin', headers: bearer((await loggedIn(app)).token) })
  },
  'deactivation.refused': async (app) => {
    const { id, token } = await loggedIn(app)
    await changeUser(app, id, { isSuperuser: true })
    const url = `/api/v1/admin/users/${id}/deactivate`
    await app.inject({ method: 'POST', url, headers: bearer(token) })
  },
  'users.listed': async (app) => {
    const { id, token } = await loggedIn(app)
    await changeUser(app, id, { isSuperuser: true })
    await app.inject({ url: '/api/v1/admin/users', headers: bearer(token) })
  },
  'user.read': async (app) => {
    const { id, token } = await loggedIn(app)
    await changeUser(app, id, { isSuperuser: true })
    await app.inject({ url: `/api/v1/admin/users/${id}`, headers: bearer(token) })
  },
  'user.promoted': async (app) => user(app, 'promote', (await register(app)).username),
  'user.demoted': async (app) => user(app, 'demote', (await register(app)).username),
  'login.not_verified': async (app) => {
    await register(app)
    await tryLogIn(app, 'alice', password)
  },
  'access.not_verified': async (app) => {
    app.get('/verified', { onRequest: [app.requireUser, app.requireVerifiedUser] }, async () => ({}))
    await app.inject({ url: '/verified', headers: bearer((await loggedIn(app)).token) })
  },
  'refresh.succeeded': async (app) => {
    await register(app)
    await refresh(app, (await startSession(app)).refreshToken)
  },
  'refresh.failed': (app) => refresh(app, 'made-up'),
  'refresh.replayed': async (app) => {
    await register(app)
    const first = await startSession(app)
    const second = tokensIn(await refresh(app, first.refreshToken))
    await refresh(app, second.refreshToken)
    await refresh(app, first.refreshToken)
  },
  'email_token.refused': (app) => verify(app, 'made-up'),
  'email.verified': (app) => registerVerified(app),
  'verification.requested': (app) => post(app, 'resend-verification', { email: 'alice@example.com' }),
  'password_reset.requested': (app) => forgotPassword(app),
  'password_reset.link_created': async (app) =>
    user(app, 'reset-link', (await registerVerified(app)).username),
  'password.reset': async (app) => {
    await register(app)
    await resetPassword(app, await requestReset(app))
  },
  'user.email_change_undone': async (app) => {
    await registerVerified(app)
    await changeEmail(app, await logIn(app), 'new@example.com')
    await undoEmailChange(app, await mailedToken(app, 'undo'))
  },
  'user.email_change_requested': async (app) =>
    putMe(app, (await loggedIn(app)).token, { email: 'new@example.com' }),
  'user.email_change_cancelled': async (app) => {
    const { token } = await loggedIn(app)
    for (const email of ['new@example.com', 'alice@example.com']) await putMe(app, token, { email })
  },
  'user.email_set': async (app) => user(app, 'set-email', (await register(app)).username, 'new@example.com'),
  'user.not_deleted': async (app) => {
    await registerVerified(app)
    const token = await logIn(app)
    await changeEmail(app, token, 'new@example.com')
    await deleteMe(app, token)
  },
  'registration.expired': async (app) => {
    await register(app)
    app.clock.advance(8 * 24 * 60 * 60)
    await runCleanUp(app)
  },
  'mail.limited': async (app) => {
    await register(app)
    await forgotPassword(app)
    app.clock.advance(60)
    await forgotPassword(app)
  },
  'session.ended': async (app) => {
    await register(app)
    await post(app, 'logout', { refresh_token: (await startSession(app)).refreshToken })
  },
  'sessions.others_ended': async (app) => {
    const headers = bearer((await loggedIn(app)).token)
    await app.inject({ method: 'DELETE', url: '/api/v1/auth/devices', headers })
  },
  'session.not_found': async (app) => {
    await register(app, 'bob')
    await startSession(app, 'bob')
    const headers = bearer((await loggedIn(app)).token)
    await app.inject({ method: 'DELETE', url: '/api/v1/auth/devices/1', headers })
  },
}

test('docs/security.md has an action for each of its events', () => {
  expect(documented.map(({ name }) => name).toSorted()).toEqual(Object.keys(actions).toSorted())
})

test.each(documented)('$name is logged once, as documented and alone', async ({ name, level, fields }) => {
  const { app, events } = await appWithLog({
    RATE_LIMIT_EMAIL_CHANGES: '1',
    RATE_LIMIT_MAILS: '1',
    ...settings[name],
  })
  await actions[name]?.(app)
  const logged = events().filter(({ event }) => event === name)
  expect(logged).toMatchObject([{ level }])
  const given = Object.keys(logged[0]).filter((field) => !common.includes(field))
  expect(given.toSorted()).toEqual(fields.toSorted())
  const requests = events().flatMap(({ reqId }) => reqId ?? [])
  expect(requests).toHaveLength(new Set(requests).size)
})

test('the documentation names every event in src/', () => {
  const pages = filesIn('docs/', '.md').join()
  const events = filesIn('src/', '.ts').flatMap((text) =>
    [...text.matchAll(/event: '([^']+)'/g)].map(([, event = '']) => event),
  )
  expect(events).toContain('login.failed')
  const missing = events.filter((event) => !pages.includes(`\`${event}\``))
  const hint = 'Add them to docs/security.md and to `actions` here, first: no switch changes lines there'
  expect(missing, hint).toEqual([])
})

test('every refusal of a credential, right, limit or duplicate has an event', () => {
  const refusals = Object.entries<{ status: number; event?: string }>(problems)
    .filter(([, { status }]) => [401, 403, 409, 429].includes(status))
    .map(([name, { event }]) => ({ name, event }))
  expect(refusals.filter(({ event }) => event === undefined)).toEqual([])
})

test('an event has the address of the client, and the id of the request', async () => {
  const { app, events } = await appWithLog()
  const response = await tryLogIn(app, 'nobody', password, '192.0.2.7')
  const reqId = response.headers['x-request-id']
  expect(events()).toMatchObject([{ event: 'login.failed', address: '192.0.2.7', reqId }])
})

test('an event of a command has its name', async () => {
  const { app, events } = await appWithLog()
  await user(app, 'create', 'alice', 'alice@example.com')
  expect(events()).toMatchObject([{ event: 'user.created', command: 'create', userId: 1 }])
})

test('a mistyped body is no event', async () => {
  const { app, events } = await appWithLog()
  const url = '/api/v1/auth/register'
  for (const body of [{}, { email: 'x', username: 'alice', password }, { username: 1 }])
    expect((await app.inject({ method: 'POST', url, body })).statusCode).toBe(422)
  await app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json' }, payload: '{' })
  expect(events()).toEqual([])
})

test('a bad token is an event where none is needed, a missing one is not', async () => {
  const { app, events } = await appWithLog()
  app.get('/optional', { onRequest: app.loadUser }, async () => ({}))
  await app.inject({ url: '/optional' })
  await app.inject({ url: '/optional', headers: bearer('made-up') })
  expect(events()).toMatchObject([{ event: 'access_token.refused' }])
})

// A flood that a limit stops could otherwise fill the disk, and hide the other events.
test('a client that exceeds a limit is one event per minute', async () => {
  const { app, events } = await appWithLog({ RATE_LIMIT_AUTH_REQUESTS: '1' })
  const flood = async (address: string) => {
    for (let time = 0; time < 5; time += 1) await tryLogIn(app, 'alice', password, address)
  }
  const logged = () => events().filter(({ event }) => event === 'limit.reached')
  await flood('192.0.2.1')
  expect(logged()).toMatchObject([{ limit: 'auth-requests', address: '192.0.2.1' }])
  await flood('192.0.2.2')
  expect(logged()).toHaveLength(2)
  app.clock.advance(60)
  await flood('192.0.2.1')
  expect(logged()).toHaveLength(3)
})

test('a full hash queue is a limit', async () => {
  const queue = createHashQueue({ concurrency: 0, maxWaiting: 0, hasShares: false })
  const logEntry = { event: 'limit.reached', limit: 'hash queue' }
  await expect(queue(async () => {})).rejects.toMatchObject({ logEntry })
})
