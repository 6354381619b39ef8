import { expect, test } from 'vitest'
import { serviceClients } from '../../src/db/schema/service-clients.ts'
import { users } from '../../src/db/schema/users.ts'
import { retireName } from '../../src/users/retired-names.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { askForToken, clients, createClient, rotate } from '../support/service-clients.ts'

const statusOf = async (app: TestApp, secret: string) => (await askForToken(app, secret)).statusCode

test('create prints the secret once, and only its hash is stored', async () => {
  const app = await createTestApp()
  const output = await clients(app, 'create', 'orders', '--scope', 'orders:read  orders:read b')
  expect(output).toMatch(/^Created client orders\. Its secret, shown only here:\nsvc_[\w-]{49}$/)
  const [secret = ''] = output.split('\n').slice(-1)
  const rows = await app.db.read.select().from(serviceClients)
  expect(rows).toMatchObject([
    { name: 'orders', scope: 'orders:read b', secret: expect.stringMatching(/^[\w-]{43}$/) },
  ])
  expect(JSON.stringify(rows)).not.toContain(secret.slice(4, 20))
  expect(await statusOf(app, secret)).toBe(200)
})

test('list shows the scopes and the state, and no secret', async () => {
  const app = await createTestApp()
  expect(await clients(app, 'list')).toBe('No clients.')
  await createClient(app)
  await createClient(app, 'jobs', '')
  await createClient(app, 'old', 'a')
  await rotate(app)
  await clients(app, 'revoke', 'old')
  expect(await clients(app, 'list')).toBe(
    [
      'jobs    active',
      'old     revoked 2026-01-01T12:00:00.250Z  a',
      'orders  two secrets until 2026-01-02T12:00:00.250Z  orders:read orders:write',
    ].join('\n'),
  )
  const [jobs] = (await clients(app, 'list', '--json')).split('\n').map((line) => JSON.parse(line))
  expect(jobs).toEqual({
    client_id: 'jobs',
    scope: '',
    created_at: '2026-01-01T12:00:00.250Z',
    old_secret_until: null,
    revoked_at: null,
  })
})

test('rotate leaves two secrets for a day, and a second one ends the first', async () => {
  const app = await createTestApp()
  const first = await createClient(app)
  const second = await rotate(app)
  expect([await statusOf(app, first), await statusOf(app, second)]).toEqual([200, 200])
  const third = await rotate(app)
  expect(await statusOf(app, first)).toBe(401)
  app.clock.advance(24 * 60 * 60 - 1)
  expect(await statusOf(app, second)).toBe(200)
  app.clock.advance(1)
  expect([await statusOf(app, second), await statusOf(app, third)]).toEqual([401, 200])
})

test('rotate --now ends the old secret immediately, and CLIENT_SECRET_OVERLAP_HOURS=0 does so always', async () => {
  for (const [env, options] of [
    [{}, ['--now']],
    [{ CLIENT_SECRET_OVERLAP_HOURS: '0' }, []],
  ] as const) {
    const app = await createTestApp(env)
    const old = await createClient(app)
    const secret = await rotate(app, 'orders', ...options)
    expect([await statusOf(app, old), await statusOf(app, secret)]).toEqual([401, 200])
  }
})

test('a name is given once: not to another client, and not to a user', async () => {
  const app = await createTestApp()
  await createClient(app)
  await clients(app, 'revoke', 'orders')
  await expect(createClient(app, 'Orders')).rejects.toThrow('The name Orders is taken')
  await expect(register(app, 'Orders')).rejects.toThrow('already_registered')
  await register(app, 'alice')
  await expect(createClient(app, 'ALICE')).rejects.toThrow('A user has or had the name ALICE.')
  // A service that knows its callers by `sub` would take the client for the user of before.
  await app.db.transaction((tx) => retireName(tx, { username: 'bob' }))
  await expect(createClient(app, 'Bob')).rejects.toThrow('A user has or had the name Bob.')
  expect(await clients(app, 'list')).not.toMatch(/ALICE|Bob/)
  expect(await app.db.read.$count(users)).toBe(1)
})

test.each([
  [['create', 'a b'], 'The name must be'],
  [['create', ''], 'The name must be'],
  [['create', 'a:b'], 'The name must be'],
  [['create', 'a', '--scope', 'a"b'], '--scope must be'],
  [['create', 'a', '--scope', 'ä'], '--scope must be'],
  [['create', 'a', '--scope', 'a\nb'], '--scope must be'],
  [['rotate', 'nobody'], 'There is no client "nobody".'],
  [['revoke', 'nobody'], 'There is no client "nobody".'],
  [['rotate', 'gone'], 'The client gone is revoked.'],
])('%j is refused', async (line, message) => {
  const app = await createTestApp()
  await createClient(app, 'gone')
  await clients(app, 'revoke', 'gone')
  await expect(clients(app, ...line)).rejects.toMatchObject({
    name: 'CommandError',
    exitCode: 1,
    message: expect.stringContaining(message),
  })
})

test('revoke can be repeated', async () => {
  const app = await createTestApp()
  await createClient(app)
  await clients(app, 'revoke', 'orders')
  app.clock.advance(60)
  expect(await clients(app, 'revoke', 'orders')).toBe('Revoked client orders and its access tokens.')
  expect(await clients(app, 'list')).toContain('revoked 2026-01-01T12:00:00.250Z')
})

test.each([[], ['help'], ['create'], ['create', 'a', 'b'], ['list', 'a'], ['list', '--now'], ['toString']])(
  '%j prints the usage',
  async (...line) => {
    const app = await createTestApp()
    await expect(clients(app, ...line)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('create <name> [--scope <scopes>]'),
    })
  },
)
