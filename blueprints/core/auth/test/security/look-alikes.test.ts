import { describe, expect, test } from 'vitest'
import { password, putMe, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, shareTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const send = (app: TestApp, username: string, email: string) =>
  app.inject({ method: 'POST', url: '/api/v1/auth/register', body: { username, email, password } })

/** Names that look like kim-miller, or become it when normalized. */
const usernames: [string, string][] = [
  ['the Kelvin sign', '\u212aim-miller'],
  ['a dotless i', 'k\u0131m-miller'],
  ['a dotted capital I', 'k\u0130m-miller'],
  ['a full-width letter', '\uff4bim-miller'],
  ['a ligature', 'kim-mi\ufb02er'],
  ['a Cyrillic letter', 'kim-mill\u0435r'],
  ['a combining accent', 'kim-mille\u0301r'],
  ['a right-to-left override', 'kim-miller\u202e'],
  ['a zero-width space', 'kim\u200b-miller'],
  ['a soft hyphen', 'kim-\u00admiller'],
  ['another hyphen', 'kim\u2010miller'],
  ['a mathematical letter', '\u{1d424}im-miller'],
  ['a long s', 'kim-miller\u017f'],
  ['a no-break space', 'kim-miller\u00a0'],
  ['a tab', 'kim-miller\t'],
  ['a NUL', 'kim-miller\u0000'],
]

describe('the username kim-miller', async () => {
  const app = await shareTestApp()
  await register(app, 'kim-miller')

  test.each(usernames)('cannot be registered again with %s', async (_case, username) => {
    expectProblem(await send(app, username, 'mallory@example.com'), 'validation_failed')
  })

  test.each(usernames)('cannot log in with %s, even with the right password', async (_case, username) => {
    const response = await tryLogIn(app, username, password)
    expect([401, 422]).toContain(response.statusCode)
  })
})

/** Domains that look like kim.example.com, or become it when normalized. */
const domains: [string, string][] = [
  ['the Kelvin sign', '\u212aim.example.com'],
  ['full-width letters', '\uff4b\uff49\uff4d.example.com'],
  ['a full-width dot', 'kim\uff0eexample.com'],
  ['an ideographic dot', 'kim\u3002example.com'],
  ['a half-width ideographic dot', 'kim\uff61example.com'],
  ['a soft hyphen', 'k\u00adim.example.com'],
  ['a zero-width space', 'k\u200bim.example.com'],
  ['a zero-width joiner', 'k\u200dim.example.com'],
  ['a word joiner', 'k\u2060im.example.com'],
  ['a variation selector', 'kim\ufe0f.example.com'],
  ['a combining grapheme joiner', 'k\u034fim.example.com'],
  ['a circled letter', 'k\u24d8m.example.com'],
  ['a right-to-left override', 'kim.example.com\u202e'],
  ['a percent sign', 'k%69m.example.com'],
]

describe('the email kim@kim.example.com', async () => {
  const app = await shareTestApp()
  await send(app, 'kim-miller', 'kim@kim.example.com')

  test.each(domains)('cannot be registered again with %s in its domain', async (_case, domain) => {
    expectProblem(await send(app, 'mallory', `kim@${domain}`), 'validation_failed')
  })

  test.each(domains)('cannot log in with %s in its domain', async (_case, domain) => {
    expectProblem(await tryLogIn(app, `kim@${domain}`, password), 'invalid_credentials')
  })

  test.each(['\u212aim', 'k\u0131m', '\uff4bim', 'kim\u202e', 'k\u200bim', 'ki\u0301m'])(
    'can neither register nor log in with the local part %j',
    async (localPart) => {
      expectProblem(await send(app, 'mallory', `${localPart}@kim.example.com`), 'validation_failed')
      expectProblem(await tryLogIn(app, `${localPart}@kim.example.com`, password), 'invalid_credentials')
    },
  )
})

test.each([
  ['a Cyrillic letter', 'k\u0456m.example.com'],
  ['a dotless i', 'k\u0131m.example.com'],
  ['an accent', 'k\u00edm.example.com'],
])('a domain with %s is another domain, and is shown in its ASCII form', async (_case, domain) => {
  const app = await createTestApp()
  await send(app, 'kim-miller', 'kim@kim.example.com')
  const response = await send(app, 'other', `kim@${domain}`)
  expect(response.statusCode).toBe(201)
  expect(response.json().email).toMatch(/^kim@xn--[a-z0-9-]+\.example\.com$/)
})

test('the two forms of an international domain are the same', async () => {
  const app = await createTestApp()
  await send(app, 'kim-miller', 'kim@B\u00dcCHER.example')
  expectProblem(await send(app, 'other', 'kim@xn--bcher-kva.example'), 'already_registered')
  for (const domain of ['b\u00fccher.example', 'xn--bcher-kva.example', 'XN--BCHER-KVA.example'])
    expect((await tryLogIn(app, `kim@${domain}`, password)).statusCode).toBe(200)
})

const post = (app: TestApp, path: string, body: object) =>
  app.inject({ method: 'POST', url: `/api/v1/auth/${path}`, body })

test('spaces before and after a name are not stored', async () => {
  const app = await createTestApp()
  const names = { username: '  alice ', email: ' Alice@Example.com  ' }
  const response = await post(app, 'register', { ...names, password })
  expect(response.json()).toMatchObject({ username: 'alice', email: 'alice@example.com' })
})

test('a name with spaces belongs to the same user as without', async () => {
  const app = await createTestApp()
  await register(app)
  const taken = [
    { username: ' alice ', email: 'new@example.com' },
    { username: 'new', email: ' alice@example.com ' },
  ]
  for (const names of taken)
    expectProblem(await post(app, 'register', { ...names, password }), 'already_registered')
  for (const name of [
    { username: ' alice ' },
    { username: ' alice@example.com' },
    { email: 'alice@example.com ' },
  ])
    expect((await post(app, 'login', { ...name, password })).statusCode).toBe(200)
})

test('a change of the email ignores spaces', async () => {
  const app = await createTestApp()
  await register(app)
  const token = (await tryLogIn(app, 'alice', password)).json().access_token
  expect((await putMe(app, token, { email: ' alice@example.com ' })).json()).toMatchObject({
    email: 'alice@example.com',
  })
  expect((await tryLogIn(app, ' alice@example.com ', password)).statusCode).toBe(200)
})

test('spaces in a password are part of it', async () => {
  const app = await createTestApp()
  await register(app)
  expectProblem(await tryLogIn(app, 'alice', ` ${password}`), 'invalid_credentials')
})

test('guesses for a name with spaces count for the name', async () => {
  const app = await createTestApp()
  await register(app)
  for (let spaces = 0; spaces < 5; spaces++)
    expectProblem(await tryLogIn(app, `${' '.repeat(spaces)}alice`, 'Wrong-Horse-7'), 'invalid_credentials')
  expectProblem(await tryLogIn(app, 'alice ', password), 'too_many_requests')
})
