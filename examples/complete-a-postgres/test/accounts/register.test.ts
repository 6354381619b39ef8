import { describe, expect, test, vi } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { users } from '../../src/db/schema/users.ts'
import { ApiError } from '../../src/errors/api-error.ts'
import { password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, shareTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const alice = { email: 'alice@example.com', username: 'alice', password }

const send = (app: TestApp, body: object) =>
  app.inject({ method: 'POST', url: '/api/v1/auth/register', body })

test('a new user is active, and the response is the user without the password', async () => {
  const app = await createTestApp()
  const response = await send(app, alice)
  expect(response.statusCode).toBe(201)
  expect(response.json()).toEqual({
    id: 1,
    email: 'alice@example.com',
    username: 'alice',
    is_active: true,
    is_verified: false,
    created_at: new Date(app.clock.now()).toISOString(),
  })
})

test('the username is stored as typed, the email is normalized', async () => {
  const app = await createTestApp()
  const response = await send(app, { ...alice, email: 'Alice+News@BÜCHER.Example', username: 'Alice.B-1_x' })
  expect(response.json()).toMatchObject({
    email: 'alice+news@xn--bcher-kva.example',
    username: 'Alice.B-1_x',
  })
})

test('without USERNAME_REQUIRED, a user who gives no username gets one', async () => {
  const app = await createTestApp({ USERNAME_REQUIRED: 'false' })
  const { email } = alice
  const response = await send(app, { email, password })
  expect(response.statusCode).toBe(201)
  const { username } = response.json()
  expect(username).toMatch(/^user-[0-9a-hjkmnp-tv-z]{10}$/)
  expect((await tryLogIn(app, email, password)).statusCode).toBe(200)
  expect((await send(app, { email: 'bob@example.com', password })).json().username).not.toBe(username)
  for (const unusable of [null, ''])
    expectProblem(
      await send(app, { email: 'carol@example.com', username: unusable, password }),
      'validation_failed',
    )
})

test('with it, which is the default, a username is required', async () => {
  const { email } = alice
  expectProblem(await send(await createTestApp(), { email, password }), 'validation_failed')
})

test.each([
  ['username', { username: 'alice', email: 'other@example.com' }],
  ['username in another case', { username: 'ALICE', email: 'other@example.com' }],
  ['email', { username: 'other', email: 'alice@example.com' }],
  ['email in another case', { username: 'other', email: 'Alice@Example.COM' }],
])('a taken %s is refused with the same text for both', async (_case, names) => {
  const app = await createTestApp()
  await register(app)
  expectProblem(await send(app, { ...names, password }), 'already_registered')
})

test('a password that an addition refuses is not hashed, and creates no user', async () => {
  const app = await createTestApp()
  const { credentials } = app.ctx
  const hash = vi.spyOn(credentials, 'hash')
  const validate = vi.spyOn(credentials, 'validateNew').mockImplementation(({ field }) => {
    const message = 'Password has leaked'
    throw new ApiError('weak_password', { fields: [{ field, code: 'password_leaked', message }] })
  })
  const { errors } = expectProblem(await send(app, alice), 'weak_password')
  expect(errors).toMatchObject([{ field: 'password', code: 'password_leaked' }])
  const { email, username } = alice
  expect(validate.mock.calls).toEqual([[{ password, user: { email, username }, field: 'password' }]])
  expect(hash).not.toHaveBeenCalled()
  validate.mockRestore()
  expect((await send(app, alice)).json().id).toBe(1)
})

describe('a request that breaks rules', async () => {
  const app = await shareTestApp()
  const errorsOf = async (body: object) => expectProblem(await send(app, body), 'validation_failed').errors

  test('gets a response with all errors', async () => {
    const errors = await errorsOf({ email: 'nobody', username: '-', password: 'short' })
    expect(errors.map((error: { field: string }) => error.field)).toEqual(
      expect.arrayContaining(['email', 'username', 'password']),
    )
    expect(errors.length).toBeGreaterThan(4)
  })

  test.each([
    'al',
    'a'.repeat(33),
    '.alice',
    'alice-',
    'al ice',
    'alice@example',
    'ali/ce',
    '\u00a0alice',
    'älice',
    '',
  ])('%j is not a valid username', async (username) => {
    expect(await errorsOf({ ...alice, username })).toEqual([
      { field: 'username', code: 'invalid_username', message: expect.any(String) },
    ])
  })

  test.each([
    'alice',
    '@example.com',
    'alice@',
    'alice@localhost',
    'a..b@example.com',
    '.a@example.com',
    '"a b"@example.com',
    'alice@-example.com',
    'alice@example..com',
    'alice@[192.0.2.1]',
    'alice@192.0.2.1',
    'alice@example.com\u00a0',
    'Alice <alice@example.com>',
    'alice@example.com,bob@example.com',
    `${'a'.repeat(65)}@example.com`,
    `alice@${`${'a'.repeat(44)}ü.`.repeat(5)}com`,
    '',
  ])('%j is not a valid email address', async (email) => {
    expect(await errorsOf({ ...alice, email })).toEqual([
      { field: 'email', code: 'invalid_email', message: 'Must be an email address' },
    ])
  })

  test.each(['email', 'username', 'password'])('must have %s', async (field) => {
    const { [field]: _left, ...body } = { ...alice } as Record<string, string>
    expect(await errorsOf(body)).toEqual([{ field, code: 'invalid_type', message: expect.any(String) }])
  })

  test('creates no user', async () => {
    expect((await send(app, alice)).json().id).toBe(1)
  })
})

test('while registration is closed, only the command creates users', async () => {
  const app = await createTestApp({ REGISTRATION_ENABLED: 'false' })
  expectProblem(await send(app, alice), 'registration_closed')
  expect(await app.db.read.$count(users)).toBe(0)
  const context = { ...app.ctx, readPassword: async () => password }
  await runUserCommand(await loadUserCommands(), ['create', 'alice', 'alice@example.com'], context)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  // The same for known and unknown names.
  expectProblem(await send(app, alice), 'registration_closed')
})
