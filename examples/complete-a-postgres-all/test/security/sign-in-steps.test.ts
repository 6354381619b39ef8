import { describe, expect, test } from 'vitest'
import { askForFactor } from '../../src/sign-in/pending-logins.ts'
import { changeUser, getMe, logIn, password, putMe, readUser, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import {
  newPassword,
  refresh,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  tokensIn,
} from '../support/flows.ts'
import { addFactor, pendingIn, registerWithFactor, sendCode } from '../support/made-up-factor.ts'
import { expectProblem } from '../support/problem.ts'
import { realHashes } from '../support/settings.ts'
import { countStored } from '../support/stored.ts'
import { ways } from '../support/ways.ts'

async function withFactor(env: Record<string, string> = {}) {
  const app = await createTestApp(Object.assign({}, ...ways.map((way) => way.env), env))
  const owners = addFactor()
  for (const { prepare } of ways) prepare?.(app)
  return { app, owners, user: await registerWithFactor(app, owners) }
}

describe.each(ways)('with $name', ({ begin, amr, refusal, provesAddress, admitsUnverified }) => {
  // better-auth GHSA-xg6x-h9c9-2m83, Convex GHSA-4qvm-r4pr-v3wg.
  test('there is no session and no token before the second factor', async () => {
    const { app, user } = await withFactor()
    const before = (await countStored(app)).sessions
    const response = await begin(app, user.id)
    const pending = pendingIn(response)
    expect(Object.keys(pending)).not.toContain('access_token')
    expect(response.headers['www-authenticate']).toBe('Bearer')
    expect(pending).toMatchObject({ expires_in: 300, factors: ['made_up'] })
    expect((await countStored(app)).sessions).toBe(before)
    expectProblem(await getMe(app, pending.mfa_token), 'invalid_token')
    expectProblem(await refresh(app, pending.mfa_token), 'invalid_refresh_token')
  })

  test('the session says how the user logged in, also after a refresh', async () => {
    const { app, user } = await withFactor()
    const { mfa_token } = pendingIn(await begin(app, user.id))
    const first = tokensIn(await sendCode(app, mfa_token))
    const second = tokensIn(await refresh(app, first.refreshToken))
    for (const { accessToken } of [first, second])
      expect(app.ctx.accessTokens.verify(accessToken).payload.amr).toEqual([...amr, 'otp', 'mfa'])
  })

  test('a pending login works once', async () => {
    const { app, user } = await withFactor()
    const { mfa_token } = pendingIn(await begin(app, user.id))
    const responses = await Promise.all(Array.from({ length: 5 }, () => sendCode(app, mfa_token)))
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expectProblem(await sendCode(app, mfa_token), 'invalid_mfa_token')
  })

  test('a pending login ends after 5 minutes', async () => {
    const { app, user } = await withFactor()
    const { mfa_token } = pendingIn(await begin(app, user.id))
    app.clock.advance(299)
    expect((await sendCode(app, mfa_token)).statusCode).toBe(200)
    const late = pendingIn(await begin(app, user.id))
    app.clock.advance(300)
    expectProblem(await sendCode(app, late.mfa_token), 'invalid_mfa_token')
  })

  test('no step can be left out: active, verified, second factor', async () => {
    const { app, user } = await withFactor({ LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' })
    if (!provesAddress) await changeUser(app, user.id, { isVerified: false })
    if (admitsUnverified) pendingIn(await begin(app, user.id))
    else if (!provesAddress) {
      expectProblem(await begin(app, user.id), 'user_not_verified')
    }
    await changeUser(app, user.id, { isActive: false })
    expectProblem(await begin(app, user.id), refusal)
    await changeUser(app, user.id, { isActive: true, isVerified: true })
    pendingIn(await begin(app, user.id))
  })

  // Keycloak CVE-2026-16103: what the first step has checked is true no more.
  test.each<[string, (app: TestApp, id: number, owners: Map<number, Date>) => Promise<unknown>]>([
    ['the user is deactivated', (app, id) => changeUser(app, id, { isActive: false })],
    ['the password changes', (app, id) => changeUser(app, id, { hashedPassword: 'another' })],
    ['the address changes', (app, id) => changeUser(app, id, { email: 'new@example.com' })],
    ['an operator ends the sessions', (app) => runCommand(app, 'end-sessions', 'alice')],
    ['an operator deactivates them', (app) => runCommand(app, 'deactivate', 'alice')],
    ['an operator removes the factors', (app) => runCommand(app, 'reset-mfa', 'alice')],
    ['the password is reset', async (app) => resetPassword(app, await requestReset(app))],
  ])('a pending login is void if %s meanwhile', async (_change, change) => {
    const { app, owners, user } = await withFactor()
    const { mfa_token } = pendingIn(await begin(app, user.id))
    await change(app, user.id, owners)
    owners.set(user.id, new Date(app.now()))
    expectProblem(await sendCode(app, mfa_token), 'invalid_mfa_token')
  })

  test('a user who has to be verified meanwhile gets no session', async () => {
    const { app, user } = await withFactor({ LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' })
    const { mfa_token } = pendingIn(await begin(app, user.id))
    await changeUser(app, user.id, { isVerified: false })
    expectProblem(await sendCode(app, mfa_token), 'user_not_verified')
  })

  test('a factor that is gone accepts no code', async () => {
    const { app, owners, user } = await withFactor()
    const { mfa_token } = pendingIn(await begin(app, user.id))
    owners.delete(user.id)
    expectProblem(await sendCode(app, mfa_token), 'wrong_mfa_code')
  })
})

test('a user without a second factor logs in at once, and their token says that it was by password', async () => {
  const app = await createTestApp()
  addFactor()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  expect(app.ctx.accessTokens.verify(accessToken).payload.amr).toEqual(['pwd'])
})

test('a factor that does not ask is no second factor: it replaces no password and no recent login', async () => {
  const app = await createTestApp()
  const { accessToken } = await registerWithFactor(app, addFactor(false))
  app.clock.advance(11 * 60)
  const body = { email: 'new@example.com', current_password: password }
  expect((await putMe(app, accessToken, body)).statusCode).toBe(200)
})

test('a factor that does not ask is offered to those who are asked for another one', async () => {
  const app = await createTestApp()
  const quiet = addFactor(false)
  const { id } = await registerWithFactor(app, quiet)
  await startSession(app)
  addFactor().set(id, new Date(app.now()))
  expect(pendingIn(await tryLogIn(app, 'alice', password)).factors).toEqual(['made_up', 'made_up'])
})

test('the answer to a wrong password is the same with and without a second factor', async () => {
  const { app } = await withFactor()
  await registerVerified(app, 'bob')
  const [alices, bobs] = [await tryLogIn(app, 'alice', 'Wrong-1'), await tryLogIn(app, 'bob', 'Wrong-1')]
  expectProblem(alices, 'invalid_credentials')
  expectProblem(bobs, 'invalid_credentials')
})

test('a reset logs nobody in, and keeps the factor', async () => {
  const { app } = await withFactor()
  const response = await resetPassword(app, await requestReset(app))
  expect(Object.keys(response.json())).toEqual(['message'])
  pendingIn(await tryLogIn(app, 'alice', newPassword))
})

// The hash is replaced in the transaction that asks for the factor.
test('a login that replaces a weak hash can be finished', async () => {
  const { app, user } = await withFactor()
  const strong = await createTestApp(realHashes, false, { db: app.db })
  const { hashedPassword } = await readUser(app, user.id)
  const { mfa_token } = pendingIn(await tryLogIn(strong, 'alice', password))
  expect((await readUser(app, user.id)).hashedPassword).not.toBe(hashedPassword)
  expect((await sendCode(app, mfa_token)).statusCode).toBe(200)
})

test('the step is the only one, and asks a login that claims less than both factors', async () => {
  const { app, user } = await withFactor()
  expect(app.ctx.loginSteps).toEqual([askForFactor])
  const row = await readUser(app, user.id)
  const ask = (amr: string | null) =>
    app.db.transaction((tx) => askForFactor(app.ctx, tx, { user: row, client: { address: '::1' }, amr }))
  expect(await ask('pwd otp')).toMatchObject({ message: 'Second factor required' })
  expect(await ask('hwk user mfa')).toBeUndefined()
})

test('without the second factor no password replaces a recent login, nor does a login without it', async () => {
  const { app, owners, user } = await withFactor()
  const body = { current_password: password, new_password: newPassword }
  const change = (token: string) =>
    app.inject({
      method: 'PUT',
      url: '/api/v1/users/me',
      headers: { authorization: `Bearer ${token}` },
      body: { email: 'new@example.com', current_password: body.current_password },
    })
  expectProblem(await change(user.accessToken), 'reauthentication_required')
  const { mfa_token } = pendingIn(await tryLogIn(app, 'alice', password))
  const { accessToken } = tokensIn(await sendCode(app, mfa_token))
  expect((await change(accessToken)).statusCode).toBe(200)
  app.clock.advance(11 * 60)
  expectProblem(await change(accessToken), 'reauthentication_required')
  owners.clear()
  expect((await change(await logIn(app))).statusCode).toBe(200)
})
