import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { problems } from '../../src/errors/api-error.ts'
import { createHashQueue } from '../../src/passwords/credentials.ts'
import { bearer, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import type { Actions } from '../support/events.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const filesIn = (folder: string, ending: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => read(`${folder}${path}`))

/** The rows of the table in docs/security.md. */
const documented = [
  ...read('docs/security.md').matchAll(/^\| `([a-z_]+\.[a-z_]+)` +\| (\w+) +\|([^|]*)\|/gm),
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

/** Settings that an event needs. */
const settings: Record<string, Record<string, string>> = {
  'registration.refused': { REGISTRATION_ENABLED: 'false' },
  'login.not_verified': { LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' },
}

/** What causes each event, by name. */
const actions: Actions = {}
const folder = new URL('../support/events/', import.meta.url)
/** Settings that the actions of a file need. */
const shared: Record<string, string> = {}
for (const file of readdirSync(folder)) {
  const module: { default: Actions; env?: object } = await import(new URL(file, folder).href)
  Object.assign(actions, module.default)
  Object.assign(shared, module.env)
}

test('docs/security.md has an action for each of its events', () => {
  expect(documented.map(({ name }) => name).toSorted()).toEqual(Object.keys(actions).toSorted())
})

test.each(documented)('$name is logged once, as documented and alone', async ({ name, level, fields }) => {
  const { app, events } = await appWithLog({
    RATE_LIMIT_EMAIL_CHANGES: '1',
    RATE_LIMIT_MAILS: '1',
    ...shared,
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
    [...text.matchAll(/event: ["']([^"']+)["']/g)].map(([, event = '']) => event),
  )
  expect(events).toContain('login.failed')
  const missing = events.filter((event) => !pages.includes(`\`${event}\``))
  const hint =
    'Add them to docs/security.md, first: no switch changes lines there. A file of test/support/events/ causes them'
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
  await runCommand(app, 'create', 'alice', 'alice@example.com')
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
  const queue = createHashQueue(0, 0, false)
  const logEntry = { event: 'limit.reached', limit: 'hash queue' }
  await expect(queue(async () => {})).rejects.toMatchObject({ logEntry })
})
