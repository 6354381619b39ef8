import { syncBuiltinESMExports } from 'node:module'
import url from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { bearer, logIn, password, register } from '../support/accounts.ts'
import { createTestApp, shareTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

/** Fields of names, emails, tokens and codes: path, field, maximum length, other fields of the body. */
const fields: [string, string, number, object][] = [
  ['auth/register', 'username', 254, { email: 'alice@example.com', password }],
  ['auth/register', 'email', 254, { username: 'alice', password }],
  ['auth/login', 'username', 254, { password }],
  ['auth/login', 'email', 254, { password }],
  ['users/me', 'email', 254, {}],
]

const passwords: [string, string, object][] = [
  ['auth/register', 'password', { username: 'bob', email: 'bob@example.com' }],
  ['auth/login', 'password', { username: 'alice' }],
  ['users/me', 'current_password', { email: 'new@example.com' }],
]

const send = (app: TestApp, path: string, token: string, body: object) =>
  app.inject({
    method: path === 'users/me' ? 'PUT' : 'POST',
    url: `/api/v1/${path}`,
    headers: { ...bearer(token), 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })

async function appWithUser() {
  const app = await createTestApp()
  await register(app)
  return { app, token: await logIn(app) }
}

/** Records the length of each text that reaches a function whose work is quadratic. */
function watchExpensiveWork() {
  const domainToASCII = vi.spyOn(url, 'domainToASCII')
  const normalize = vi.spyOn(String.prototype, 'normalize')
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })
  return {
    domains: () => domainToASCII.mock.calls.map(([domain]) => domain.length),
    normalized: () => normalize.mock.contexts.map((text) => String(text).length),
  }
}

/** Different letters that domainToASCII has to encode. */
const letters = (count: number) =>
  Array.from({ length: count }, (_, at) => String.fromCharCode(0x4e00 + at)).join('')

describe('the length is checked before anything else:', async () => {
  const app = await shareTestApp()
  await register(app)
  const token = await logIn(app)

  test.each(fields)('%s %s', async (path, field, max, others) => {
    const answer = (text: string) => send(app, path, token, { ...others, [field]: text })
    // Control characters would be reported too if the text was looked at. An emoji has two code units.
    for (const text of ['\0'.repeat(max + 1), `\0${'\u{1f600}'.repeat(max / 2)}`]) {
      const { errors } = expectProblem(await answer(text), 'validation_failed')
      expect(errors).toEqual([{ field, code: 'too_big', message: expect.any(String) }])
    }
    expect((await answer('a'.repeat(max))).body).not.toContain('too_big')
  })
})

// One login with 15 KB of letters would stop the event loop for 60 ms.
test.each(fields.filter(([path, field]) => field === 'email' || path === 'auth/login'))(
  'a long domain is not converted: %s %s',
  async (path, field, max, others) => {
    const { app, token } = await appWithUser()
    const { domains, normalized } = watchExpensiveWork()
    const answer = (domain: string) => send(app, path, token, { ...others, [field]: `a@${domain}.de` })
    for (const length of [max - 4, 5000]) expectProblem(await answer(letters(length)), 'validation_failed')
    expect([...domains(), ...normalized()].filter((length) => length > 100)).toEqual([])
    await answer(letters(max - 5))
    expect(domains()).toContain(max - 2)
  },
)

test('the command line finds no user by a long text, and does not convert it', async () => {
  const { app } = await appWithUser()
  const { domains, normalized } = watchExpensiveWork()
  expect(await app.ctx.users.findByLogin(`a@${letters(5000)}.de`)).toBeUndefined()
  expect([...domains(), ...normalized()]).toEqual([])
})

// Sorting combining marks is quadratic: one registration with 16 KB of them would stop the event loop for 0.2 s.
test.each(passwords)('a long password is not normalized: %s %s', async (path, field, others) => {
  const { app, token } = await appWithUser()
  const { normalized } = watchExpensiveWork()
  const flood = `Aa1-${'\u0300'.repeat(3500)}${'\u0316'.repeat(3500)}`
  expect((await send(app, path, token, { ...others, [field]: flood })).statusCode).toBeGreaterThanOrEqual(400)
  expect(Math.max(0, ...normalized())).toBeLessThanOrEqual(1024)
})
