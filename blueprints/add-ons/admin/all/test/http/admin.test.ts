import { expect, test } from 'vitest'
import { deactivateUser, endUserSessions } from '../../src/accounts/manage-users.ts'
import {
  bearer,
  changeUser,
  getMe,
  logIn,
  password,
  readUser,
  register,
  tryLogIn,
} from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { expectProblem } from '../support/problem.ts'

type Method = 'GET' | 'POST'

const call = (app: TestApp, token: string, path = '', method: Method = 'GET') =>
  app.inject({ method, url: `/api/v1/admin/users${path}`, headers: bearer(token) })

/** An app with the superuser root, and alice, who is none. */
async function withSuperuser() {
  const app = await createTestApp()
  const root = await register(app, 'root')
  await changeUser(app, root.id, { isSuperuser: true })
  const alice = await register(app)
  return { app, root, alice, token: await logIn(app, 'root') }
}

test('the users are listed in pages', async () => {
  const { app, token } = await withSuperuser()
  await register(app, 'bob')
  const names: string[] = []
  let path = '?limit=2'
  for (let page = 0; page < 3 && path !== ''; page++) {
    const { users, next_cursor: next } = (await call(app, token, path)).json()
    names.push(...users.map(({ username }: { username: string }) => username))
    path = next === null ? '' : `?limit=2&cursor=${next}`
  }
  expect(names).toEqual(['root', 'alice', 'bob'])
  expect((await call(app, token)).json().users).toHaveLength(3)
})

test('a page that ends with the last user is the last one', async () => {
  const { app, token } = await withSuperuser()
  expect((await call(app, token, '?limit=2')).json()).toMatchObject({ next_cursor: null })
  expect((await call(app, token, '?limit=2&cursor=Mg')).json()).toEqual({ users: [], next_cursor: null })
})

test.each([
  '?limit=0',
  '?limit=101',
  '?limit=1e2',
  '?limit=',
  '?cursor=-1',
  '?cursor=x',
  '?page=2',
  '?limit=1&limit=2',
])('the query %s is refused', async (query) => {
  const { app, token } = await withSuperuser()
  expectProblem(await call(app, token, query), 'validation_failed')
})

test('a user is read without the hash of the password', async () => {
  const { app, token, alice } = await withSuperuser()
  const response = await call(app, token, `/${alice.id}`)
  expect(response.json()).toMatchObject({ ...alice, is_superuser: false })
  const { hashedPassword } = await readUser(app, alice.id)
  expect(response.body + (await call(app, token)).body).not.toContain(hashedPassword.slice(-20))
})

// Some clients name a type in every request: an operator could otherwise not block a user.
test.each(['activate', 'deactivate', 'end-sessions'])(
  '%s takes an empty body of any type',
  async (action) => {
    const { app, token, alice } = await withSuperuser()
    for (const type of ['application/json', 'text/plain', 'made/up', 'invalid']) {
      const url = `/api/v1/admin/users/${alice.id}/${action}`
      const headers = { ...bearer(token), 'content-type': type }
      const { statusCode } = await app.inject({ method: 'POST', url, headers, payload: '' })
      expect(statusCode, type).toBe(204)
    }
  },
)

test('a deactivated user is blocked immediately, and logs in again after the activation', async () => {
  const { app, token, alice } = await withSuperuser()
  const alices = await logIn(app)
  expect((await call(app, token, `/${alice.id}/deactivate`, 'POST')).statusCode).toBe(204)
  expectProblem(await getMe(app, alices), 'invalid_token')
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
  expect((await call(app, token, `/${alice.id}/activate`, 'POST')).statusCode).toBe(204)
  expectProblem(await getMe(app, alices), 'invalid_token')
  app.clock.advance(1)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
})

// A wrong click would lock out the last superuser, whom no one could let in again over the API.
test('a superuser cannot deactivate themselves', async () => {
  const { app, root, token } = await withSuperuser()
  const { title } = expectProblem(await call(app, token, `/${root.id}/deactivate`, 'POST'), 'own_account')
  expect(title).toBe('Own account')
  expect((await getMe(app, token)).statusCode).toBe(200)
  expect(await readUser(app, root.id)).toMatchObject({ isActive: true })
  expect((await call(app, token, `/${root.id}/activate`, 'POST')).statusCode).toBe(204)
})

test('the sessions of a user end, and they can log in again', async () => {
  const { app, token, alice } = await withSuperuser()
  const alices = await logIn(app)
  expect((await call(app, token, `/${alice.id}/end-sessions`, 'POST')).statusCode).toBe(204)
  expectProblem(await getMe(app, alices), 'invalid_token')
  app.clock.advance(1)
  expect((await getMe(app, await logIn(app))).statusCode).toBe(200)
})

const ofOneUser: [Method, string][] = [
  ['GET', '/2'],
  ['POST', '/2/activate'],
  ['POST', '/2/deactivate'],
  ['POST', '/2/end-sessions'],
]

test.each([['GET', ''] as [Method, string], ...ofOneUser])(
  '%s /admin/users%s is for superusers only, and a demotion takes effect immediately',
  async (method, path) => {
    const { app, root, token } = await withSuperuser()
    const url = `/api/v1/admin/users${path}`
    const alices = await logIn(app)
    expectProblem(await app.inject({ method, url }), 'not_authenticated')
    expectProblem(await call(app, alices, path, method), 'forbidden')
    await changeUser(app, root.id, { isSuperuser: false })
    expectProblem(await call(app, token, path, method), 'forbidden')
    expect((await getMe(app, alices)).statusCode).toBe(200)
    expect(await readUser(app, 2)).toMatchObject({ isActive: true })
  },
)

test.each(ofOneUser)(
  '%s /admin/users%s: a change needs a login in the last 10 minutes',
  async (method, path) => {
    const { app, token } = await withSuperuser()
    app.clock.advance(10 * 60 + 1)
    const response = await call(app, token, path, method)
    if (method === 'GET') expect(response.statusCode).toBe(200)
    else expectProblem(response, 'reauthentication_required')
    expect((await call(app, await logIn(app, 'root'), path, method)).statusCode).toBeLessThan(300)
  },
)

test.each(ofOneUser)(
  '%s /admin/users%s answers 404 for an unknown id, and 422 for no id',
  async (method, path) => {
    const { app, token } = await withSuperuser()
    expectProblem(await call(app, token, path.replace('2', '999'), method), 'not_found')
    expectProblem(await call(app, token, path.replace('2', '2x'), method), 'validation_failed')
  },
)

test('the log says which superuser did what to which user', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = await createTestApp({}, { stream })
  const root = await register(app, 'root')
  await changeUser(app, root.id, { isSuperuser: true })
  const { id: userId } = await register(app)
  const token = await logIn(app, 'root')
  lines.length = 0
  for (const action of ['deactivate', 'activate', 'end-sessions'])
    await call(app, token, `/${userId}/${action}`, 'POST')
  await call(app, token, `/${userId}`)
  await call(app, token)
  const events = lines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => /^(users?|sessions)\./.test(event))
  expect(events).toMatchObject([
    { event: 'user.deactivated', userId, by: root.id },
    { event: 'user.activated', userId, by: root.id },
    { event: 'sessions.ended', userId, by: root.id },
    { event: 'user.read', userId, by: root.id },
    { event: 'users.listed', userId: root.id },
  ])
})

/** Runs `meanwhile` once: after the guards of the next request, before its transaction. */
function beforeTransaction(app: TestApp, meanwhile: () => Promise<unknown>) {
  const { transaction } = app.db
  app.db.transaction = async (...given) => {
    app.db.transaction = transaction
    await meanwhile()
    return transaction(...given)
  }
}

test.each(['activate', 'deactivate', 'end-sessions'])(
  'someone who loses access while their request is under way does nothing: %s',
  async (action) => {
    const { app, root, alice } = await withSuperuser()
    const alices = await logIn(app)
    const before = await readUser(app, alice.id)
    for (const [problem, meanwhile] of [
      ['invalid_token', () => deactivateUser(app.ctx, root.id)],
      ['invalid_token', () => endUserSessions(app.ctx, root.id)],
      ['forbidden', () => changeUser(app, root.id, { isSuperuser: false })],
    ] as const) {
      await changeUser(app, root.id, { isActive: true })
      app.clock.advance(1)
      const token = await logIn(app, 'root')
      beforeTransaction(app, meanwhile)
      expectProblem(await call(app, token, `/${alice.id}/${action}`, 'POST'), problem)
    }
    expect(await readUser(app, alice.id)).toEqual(before)
    expect((await getMe(app, alices)).statusCode).toBe(200)
  },
)

// The guards of 16 parallel requests pass before the row is locked: each would make the superuser active again.
test('a superuser whom another deactivates does not come back by activating themselves', async () => {
  const { app, root, alice, token } = await withSuperuser()
  await changeUser(app, alice.id, { isSuperuser: true })
  const alices = await logIn(app)
  for (let round = 0, roots = token; round < 4; round += 1) {
    const own = Array.from({ length: 16 }, () => call(app, roots, `/${root.id}/activate`, 'POST'))
    const others = [call(app, alices, `/${root.id}/deactivate`, 'POST')]
    const [deactivation] = await Promise.all([...others, ...own])
    expect(deactivation?.statusCode).toBe(204)
    expect(await readUser(app, root.id)).toMatchObject({ isActive: false })
    await changeUser(app, root.id, { isActive: true })
    app.clock.advance(1)
    roots = await logIn(app, 'root')
  }
})

test('a superuser whom the command deactivates does not come back by activating themselves', async () => {
  const { app, root, token } = await withSuperuser()
  for (let round = 0, roots = token; round < 4; round += 1) {
    const own = Array.from({ length: 16 }, () => call(app, roots, `/${root.id}/activate`, 'POST'))
    await Promise.all([runCommand(app, 'deactivate', 'root'), ...own])
    expect(await readUser(app, root.id)).toMatchObject({ isActive: false })
    await changeUser(app, root.id, { isActive: true })
    app.clock.advance(1)
    roots = await logIn(app, 'root')
  }
})

test('of two superusers who deactivate each other, one stays', async () => {
  const { app, root, alice } = await withSuperuser()
  await changeUser(app, alice.id, { isSuperuser: true })
  for (let round = 0; round < 4; round += 1) {
    const [roots, alices] = [await logIn(app, 'root'), await logIn(app)]
    // In the order of ids: otherwise each would wait for the other.
    const activations = await Promise.all([
      call(app, roots, `/${alice.id}/activate`, 'POST'),
      call(app, alices, `/${root.id}/activate`, 'POST'),
    ])
    expect(activations.map(({ statusCode }) => statusCode)).toEqual([204, 204])
    const answers = await Promise.all([
      call(app, roots, `/${alice.id}/deactivate`, 'POST'),
      call(app, alices, `/${root.id}/deactivate`, 'POST'),
    ])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 401])
    const states = [await readUser(app, root.id), await readUser(app, alice.id)]
    expect(states.filter(({ isActive }) => isActive)).toHaveLength(1)
    for (const { id } of states) await changeUser(app, id, { isActive: true })
    app.clock.advance(1)
  }
})
