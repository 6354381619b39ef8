import { expect, test } from 'vitest'
import { unusablePassword } from '../../src/passwords/hashes.ts'
import { changeUser, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { Authenticator } from '../support/authenticator.ts'
import { post, registerVerified, startSession } from '../support/flows.ts'
import { emailedCode, pendingIn } from '../support/made-up-factor.ts'
import { addPasskey, askForEmailed, changePasskey, logInWithPasskey, optionsOf } from '../support/passkeys.ts'
import { expectProblem } from '../support/problem.ts'
import { codeOf, logInWithTotp, mfaToken, registerWithTotp, turnOn } from '../support/totp.ts'

/** A user with an authenticator app and a passkey. */
async function registerWithBoth(app: TestApp, username = 'alice') {
  const user = await registerWithTotp(app, username)
  const proof = { code: codeOf(app, user.secret) }
  const added = await addPasskey(app, user.accessToken, user.email, proof)
  app.clock.advance(30)
  return { ...user, userId: user.id, ...added }
}

const optionsFor = async (app: TestApp, mfa_token: string) =>
  optionsOf(await post(app, 'mfa/passkey/options', { mfa_token }))

const optionsOfSession = async (app: TestApp, accessToken: string) =>
  optionsOf(await post(app, 'mfa/passkey/options', undefined, accessToken))

const finish = (app: TestApp, mfa_token: string, credential: ReturnType<Authenticator['get']>) =>
  post(app, 'mfa', { mfa_token, credential })

test('a passkey finishes a login by password, which names what the user can prove', async () => {
  const app = await createTestApp()
  const { device } = await registerWithBoth(app)
  const pending = pendingIn(await tryLogIn(app, 'alice', password))
  expect(pending.factors).toEqual(['totp', 'recovery_code', 'passkey'])
  const options = await optionsFor(app, pending.mfa_token)
  expect(options.allowCredentials).toHaveLength(1)
  const finished = await finish(app, pending.mfa_token, device.get(options))
  expect(finished.statusCode).toBe(200)
  const [, claims = ''] = finished.json().access_token.split('.')
  const { amr } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  expect(amr).toEqual(['pwd', 'pop', 'user', 'mfa'])
})

test('a passkey of another user, or for another login or session, finishes none', async () => {
  const app = await createTestApp()
  const { device, accessToken } = await registerWithBoth(app)
  const bob = await registerWithBoth(app, 'bob')
  const [one, other] = [await mfaToken(app), await mfaToken(app)]
  const challenges = [
    [bob.device, await optionsFor(app, one)],
    [device, await optionsFor(app, other)],
    [device, await optionsFor(app, await mfaToken(app, 'bob'))],
    [device, await optionsOfSession(app, accessToken)],
  ] as const
  for (const [each, options] of challenges)
    expectProblem(await finish(app, one, each.get(options)), 'wrong_mfa_code')
  const right = device.get(await optionsFor(app, one))
  expect((await finish(app, one, right)).statusCode).toBe(200)
  // The login has ended, and the challenge with it.
  expectProblem(await finish(app, one, right), 'invalid_mfa_token')
})

test('wrong signatures end a pending login, as wrong codes do', async () => {
  const app = await createTestApp()
  const { device } = await registerWithBoth(app)
  const token = await mfaToken(app)
  const wrong = device.get({ challenge: 'YQ' })
  for (let tries = 0; tries < 5; tries += 1) expectProblem(await finish(app, token, wrong), 'wrong_mfa_code')
  expectProblem(await finish(app, token, device.get({ challenge: 'YQ' })), 'invalid_mfa_token')
})

// A thief of the password who guesses codes must not keep the owner out.
test('a passkey is accepted when codes are refused', async () => {
  const app = await createTestApp()
  const { device } = await registerWithBoth(app)
  app.clock.advance(31 * 24 * 60 * 60)
  for (let wrong = 0; wrong < 20; wrong += 4) {
    const token = await mfaToken(app)
    for (let tries = 0; tries < 4; tries += 1) await post(app, 'mfa', { mfa_token: token, code: '000000' })
  }
  const token = await mfaToken(app)
  expect((await post(app, 'mfa', { mfa_token: token, code: '000000' })).statusCode).toBe(429)
  expect((await finish(app, token, device.get(await optionsFor(app, token)))).statusCode).toBe(200)
})

test('a passkey confirms what a code confirms, once and in its session', async () => {
  const app = await createTestApp()
  const { device, accessToken, id } = await registerWithBoth(app)
  const other = await logInWithPasskey(app, device)
  const credential = device.get(await optionsOfSession(app, other.accessToken))
  expectProblem(await post(app, 'recovery-codes', { credential }, accessToken), 'invalid_code')
  const bob = await registerWithBoth(app, 'bob')
  const bobs = bob.device.get(await optionsOfSession(app, accessToken))
  expectProblem(await post(app, 'recovery-codes', { credential: bobs }, accessToken), 'invalid_code')
  const own = device.get(await optionsOfSession(app, accessToken))
  expect((await post(app, 'recovery-codes', { credential: own }, accessToken)).statusCode).toBe(200)
  expectProblem(await post(app, 'recovery-codes', { credential: own }, accessToken), 'invalid_code')
  expectProblem(await changePasskey(app, 'DELETE', id, accessToken), 'invalid_code')
  const again = { credential: device.get(await optionsOfSession(app, accessToken)) }
  expect((await changePasskey(app, 'DELETE', id, accessToken, again)).statusCode).toBe(204)
})

test('a new passkey of a user with an app takes the code too, which a wrong emailed code does not cost', async () => {
  const app = await createTestApp()
  const { accessToken, secret, email } = await registerWithTotp(app)
  const emailed_token = await askForEmailed(app, accessToken, email)
  const ask = (body: object) => post(app, 'passkeys/options', body, accessToken)
  const code = codeOf(app, secret)
  expectProblem(await ask({ code, emailed_token: '0000-0000-0000-0000' }), 'invalid_or_expired_token')
  expectProblem(await ask({ emailed_token }), 'invalid_code')
  expectProblem(await ask({ emailed_token, code: '000000' }), 'invalid_code')
  await optionsOf(await ask({ emailed_token, code }))
  // The code is used up, and what it confirmed holds.
  await optionsOf(await ask({}))
})

test('options take a login: without one, the answer is that of any endpoint', async () => {
  const app = await createTestApp()
  expectProblem(await post(app, 'mfa/passkey/options'), 'not_authenticated')
  expectProblem(await post(app, 'mfa/passkey/options', { mfa_token: 'x' }), 'invalid_mfa_token')
  const { accessToken } = await registerWithTotp(app)
  expect((await optionsOfSession(app, accessToken)).allowCredentials).toEqual([])
})

// Otherwise a passkey that was begun before would be added without the code of the app.
test('what a session had confirmed for a new passkey ends when the app is turned on', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const emailed_token = await askForEmailed(app, accessToken)
  const begun = await optionsOf(await post(app, 'passkeys/options', { emailed_token }, accessToken))
  app.clock.advance(60)
  await turnOn(app, accessToken)
  expectProblem(await post(app, 'passkeys/options', {}, accessToken), 'emailed_token_required')
  const body = { name: 'Key', credential: new Authenticator().create(begun) }
  const next = { emailed_token: await emailedCode(app) }
  expectProblem(await post(app, 'passkeys', { ...body, ...next }, accessToken), 'invalid_code')
  expectProblem(await post(app, 'passkeys/options', next, accessToken), 'invalid_code')
})

test('a user with an app removes a passkey within a recent login, and with a code', async () => {
  const app = await createTestApp()
  const { accessToken, id, secret } = await registerWithBoth(app)
  expectProblem(await changePasskey(app, 'DELETE', id, accessToken), 'invalid_code')
  expectProblem(await changePasskey(app, 'DELETE', id, accessToken, { code: '000000' }), 'invalid_code')
  app.clock.advance(601)
  const old = await changePasskey(app, 'DELETE', id, accessToken, { code: codeOf(app, secret) })
  expectProblem(old, 'reauthentication_required')
  const recent = await logInWithTotp(app, secret)
  const code = { code: codeOf(app, secret) }
  expect((await changePasskey(app, 'DELETE', id, recent.accessToken, code)).statusCode).toBe(204)
})

// Each has its own proof, which the other one does not use up.
test('two removals at once do not take the last two ways in', async () => {
  const app = await createTestApp()
  const { accessToken, id, userId, codes, secret, email } = await registerWithBoth(app)
  app.clock.advance(60)
  const second = await addPasskey(app, accessToken, email, { code: codeOf(app, secret) })
  await changeUser(app, userId, { hashedPassword: unusablePassword })
  const answers = await Promise.all(
    [id, second.id].map((each, index) =>
      changePasskey(app, 'DELETE', each, accessToken, { recovery_code: codes[index] }),
    ),
  )
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 409])
})
