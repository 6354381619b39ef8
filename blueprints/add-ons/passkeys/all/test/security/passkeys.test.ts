import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { optionsForNew } from '../../src/passkeys/enrol.ts'
import { unusablePassword } from '../../src/passwords/hashes.ts'
import { endTokens, insertToken } from '../../src/sign-in/tokens.ts'
import { callerOf, changeUser, readUser } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { Authenticator } from '../support/authenticator.ts'
import { post, registerVerified, startSession } from '../support/flows.ts'
import { emailedCode } from '../support/made-up-factor.ts'
import {
  addPasskey,
  askForEmailed,
  changePasskey,
  listPasskeys,
  loginOptions,
  optionsOf,
  registerWithPasskey,
  sendPasskey,
} from '../support/passkeys.ts'
import { expectProblem } from '../support/problem.ts'
import { storedSessions } from '../support/stored.ts'

describe('a login by passkey', () => {
  // Phishing: another origin, a sibling domain, another relying party. And a device that did not ask for its PIN.
  test.each([
    ['another origin', { origin: 'https://localhost.example' }],
    ['a sibling domain', { origin: 'http://other.localhost:3000' }],
    ['another relying party', { rpId: 'example.com' }],
    ['a signature of a registration', { type: 'webauthn.create' }],
    ['a device that did not verify its user', { isUnverified: true }],
  ])('of %s is refused', async (_, changes) => {
    const app = await createTestApp()
    const { device } = await registerWithPasskey(app)
    expectProblem(await sendPasskey(app, device, changes), 'invalid_credentials')
    expect((await sendPasskey(app, device)).statusCode).toBe(200)
  })

  test('needs the signature of the passkey: its id is no secret', async () => {
    const app = await createTestApp()
    const { device } = await registerWithPasskey(app)
    const thief = new Authenticator()
    thief.userHandle = device.userHandle
    const credential = thief.get(await loginOptions(app))
    const id = device.id.toString('base64url')
    expectProblem(
      await post(app, 'passkeys/login', { credential: { ...credential, id, rawId: id } }),
      'invalid_credentials',
    )
  })

  test.each([[{}], [{ id: 'a', rawId: 'a', type: 'public-key', response: {} }], [{ id: ['a'] }]])(
    'with something else is refused in the same way: %j',
    async (credential) => {
      const app = await createTestApp()
      expectProblem(await post(app, 'passkeys/login', { credential }), 'invalid_credentials')
    },
  )

  test('uses its challenge up, and expires after 5 minutes', async () => {
    const app = await createTestApp()
    const { device } = await registerWithPasskey(app)
    const credential = device.get(await loginOptions(app))
    const answers = await Promise.all([1, 2, 3].map(() => post(app, 'passkeys/login', { credential })))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401])
    const late = device.get(await loginOptions(app))
    app.clock.advance(300)
    expectProblem(await post(app, 'passkeys/login', { credential: late }), 'invalid_credentials')
  })

  test('takes no challenge that was given for something else', async () => {
    const app = await createTestApp()
    const { accessToken, device } = await registerWithPasskey(app)
    const emailed_token = await askForEmailed(app, accessToken)
    const options = await optionsOf(await post(app, 'passkeys/options', { emailed_token }, accessToken))
    const credential = device.get(options)
    expectProblem(await post(app, 'passkeys/login', { credential }), 'invalid_credentials')
    expectProblem(
      await post(app, 'passkeys/login', { credential: device.get({ challenge: 'YQ' }) }),
      'invalid_credentials',
    )
  })

  test('is refused if the counter goes back: the passkey may be a copy', async () => {
    const app = await createTestApp()
    const { device } = await registerWithPasskey(app)
    device.counter = 4
    expect((await sendPasskey(app, device)).statusCode).toBe(200)
    for (const counter of [5, 4, 0])
      expectProblem(await sendPasskey(app, device, { counter }), 'invalid_credentials')
    expect((await sendPasskey(app, device, { counter: 4_000_000_000 })).statusCode).toBe(200)
  })

  test('of another user handle is refused', async () => {
    const app = await createTestApp()
    const { device } = await registerWithPasskey(app)
    device.userHandle = (await registerWithPasskey(app, 'bob')).device.userHandle
    expectProblem(await sendPasskey(app, device), 'invalid_credentials')
  })

  test('of an inactive user is refused as any other', async () => {
    const app = await createTestApp()
    const { device, userId } = await registerWithPasskey(app)
    await changeUser(app, userId, { isActive: false })
    expectProblem(await sendPasskey(app, device), 'invalid_credentials')
  })

  test('of a user who has to verify their address starts no session', async () => {
    const app = await createTestApp({ LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' })
    const { device, userId } = await registerWithPasskey(app)
    await changeUser(app, userId, { isVerified: false })
    expectProblem(await sendPasskey(app, device), 'user_not_verified')
    expect(await storedSessions(app)).toHaveLength(1)
  })

  test.each(['passkeys/login', 'passkeys/login/options'])('counts: %s', async (path) => {
    const app = await createTestApp({ RATE_LIMIT_AUTH_REQUESTS: '2' })
    const body = { credential: {} }
    for (let time = 0; time < 2; time += 1) await post(app, path, body)
    expectProblem(await post(app, path, body), 'too_many_requests')
  })
})

describe('a new passkey', () => {
  async function begun() {
    const app = await createTestApp()
    const user = await registerVerified(app)
    const { accessToken } = await startSession(app)
    const emailed_token = await askForEmailed(app, accessToken)
    const options = await optionsOf(await post(app, 'passkeys/options', { emailed_token }, accessToken))
    return { app, user, accessToken, emailed_token, options }
  }

  // With a stolen token alone, a thief would have a way in that a new password does not end.
  test('takes a recent login, a verified address and a code that is emailed to it', async () => {
    const app = await createTestApp()
    const { accessToken } = await registerWithPasskey(app)
    app.clock.advance(601)
    expectProblem(await post(app, 'passkeys/options', {}, accessToken), 'reauthentication_required')
    expectProblem(
      await post(app, 'passkeys/options', { emailed_token: '0000-0000-0000-0000' }, accessToken),
      'invalid_or_expired_token',
    )
  })

  test('takes the emailed code itself, which it uses up with the passkey', async () => {
    const { app, accessToken, emailed_token, options } = await begun()
    const credential = new Authenticator().create(options)
    const send = (body: object) => post(app, 'passkeys', { name: 'Key', ...body }, accessToken)
    expectProblem(await send({ credential }), 'emailed_token_required')
    expectProblem(await send({ emailed_token }), 'invalid_code')
    expectProblem(
      await send({
        emailed_token,
        credential: new Authenticator().create(options, { origin: 'https://evil.example' }),
      }),
      'invalid_code',
    )
    expectProblem(
      await send({ emailed_token, credential: new Authenticator().create(options, { isUnverified: true }) }),
      'invalid_code',
    )
    expect((await send({ emailed_token, credential })).statusCode).toBe(201)
    expectProblem(await send({ emailed_token, credential }), 'invalid_or_expired_token')
  })

  test('with another id than the device says, or with an endless one, is refused', async () => {
    const { app, accessToken, emailed_token, options } = await begun()
    const send = (credential: object) =>
      post(app, 'passkeys', { name: 'Key', credential, emailed_token }, accessToken)
    const long = new Authenticator(Buffer.alloc(1024, 1)).create(options)
    expectProblem(await send(long), 'invalid_code')
    expectProblem(await send({ ...long, id: 'AAAA', rawId: 'AAAA' }), 'invalid_code')
    expect((await send(new Authenticator(Buffer.alloc(1023, 1)).create(options))).statusCode).toBe(201)
  })

  test('is confirmed for the session that asked, and until the address changes', async () => {
    const { app, user, accessToken } = await begun()
    const other = await startSession(app)
    expectProblem(await post(app, 'passkeys/options', {}, other.accessToken), 'emailed_token_required')
    await changeUser(app, user.id, { email: 'new@example.com' })
    expectProblem(await post(app, 'passkeys/options', {}, accessToken), 'emailed_token_required')
  })

  // Two requests at once: what confirmed the options is used up by the passkey of the other one.
  test('whose confirmation ends meanwhile gets no options', async () => {
    const { app, accessToken } = await begun()
    const caller = await callerOf(app, accessToken)
    const transaction: typeof app.db.transaction = async (run) => {
      await app.db.transaction((tx) => endTokens(app.ctx, tx, caller.user.id))
      return app.db.transaction(run)
    }
    const ctx = { ...app.ctx, db: { ...app.db, transaction } }
    const confirmation = { emailedToken: undefined, proof: { address: '192.0.2.1', asked: '' } }
    await expect(optionsForNew(ctx, caller, confirmation)).rejects.toThrow('Invalid code')
  })

  test('has a handle that tells nobody who the user is', async () => {
    const handles = new Set<string>()
    for (const _ of [1, 2]) {
      const app = await createTestApp()
      handles.add((await registerWithPasskey(app)).device.userHandle)
      handles.add((await registerWithPasskey(app, 'bob')).device.userHandle)
    }
    expect(handles.size).toBe(4)
  })

  test('is for the session and the user who asked', async () => {
    const { app, emailed_token, options } = await begun()
    const other = await startSession(app)
    await registerVerified(app, 'bob')
    const bob = await startSession(app, 'bob')
    const body = { name: 'Key', credential: new Authenticator().create(options) }
    for (const { accessToken } of [other, bob]) {
      const theirs = await askForEmailed(
        app,
        accessToken,
        accessToken === bob.accessToken ? 'bob@example.com' : undefined,
      )
      expectProblem(
        await post(app, 'passkeys', { ...body, emailed_token }, accessToken),
        'invalid_or_expired_token',
      )
      expectProblem(
        await post(app, 'passkeys', { ...body, emailed_token: theirs }, accessToken),
        'invalid_code',
      )
    }
  })

  test('of a device that another user has is refused', async () => {
    const app = await createTestApp()
    const { device } = await registerWithPasskey(app)
    await registerVerified(app, 'bob')
    const { accessToken } = await startSession(app, 'bob')
    const emailed_token = await askForEmailed(app, accessToken, 'bob@example.com')
    const options = await optionsOf(await post(app, 'passkeys/options', { emailed_token }, accessToken))
    const body = { name: 'Key', credential: device.create(options), emailed_token }
    expectProblem(await post(app, 'passkeys', body, accessToken), 'invalid_code')
  })
})

describe('a change', () => {
  // A login of a thief that waits, or what another session has begun.
  test('ends what waits for the user', async () => {
    const app = await createTestApp()
    const user = await registerVerified(app)
    const { accessToken } = await startSession(app)
    const waiting = async () => {
      const pending = { purpose: 'login', user: await readUser(app, user.id), lifetimeMs: 60 * 60_000 }
      await app.db.transaction((tx) => insertToken(app.ctx, tx, { ...pending, token: randomUUID() }))
    }
    const expectNone = async () => expect(await app.db.read.$count(signInTokens)).toBe(0)
    await waiting()
    const { id } = await addPasskey(app, accessToken)
    await expectNone()
    await waiting()
    app.clock.advance(60)
    await changePasskey(app, 'DELETE', id, accessToken)
    const body = { emailed_token: await emailedCode(app) }
    expect((await changePasskey(app, 'DELETE', id, accessToken, body)).statusCode).toBe(204)
    await expectNone()
  })

  test('of a passkey of another user finds none', async () => {
    const app = await createTestApp()
    const { id } = await registerWithPasskey(app)
    const { accessToken } = await registerWithPasskey(app, 'bob')
    expectProblem(await changePasskey(app, 'PATCH', id, accessToken, { name: 'Mine' }), 'not_found')
    expectProblem(await changePasskey(app, 'DELETE', id, accessToken), 'not_found')
  })

  test('takes a recent login', async () => {
    const app = await createTestApp()
    const { accessToken, id } = await registerWithPasskey(app)
    app.clock.advance(601)
    expectProblem(
      await changePasskey(app, 'PATCH', id, accessToken, { name: 'Mine' }),
      'reauthentication_required',
    )
    expectProblem(await changePasskey(app, 'DELETE', id, accessToken), 'reauthentication_required')
  })

  test('takes an emailed code once, also for two removals at once', async () => {
    const app = await createTestApp()
    const { accessToken, id } = await registerWithPasskey(app)
    const { id: second } = await addPasskey(app, accessToken)
    app.clock.advance(60)
    await changePasskey(app, 'DELETE', id, accessToken)
    const body = { emailed_token: await emailedCode(app) }
    const answers = await Promise.all(
      [id, second].map((each) => changePasskey(app, 'DELETE', each, accessToken, body)),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 400])
  })

  test('never takes the last way to log in, not even two at once', async () => {
    const app = await createTestApp()
    const { accessToken, id: first, userId } = await registerWithPasskey(app)
    const { id: second } = await addPasskey(app, accessToken)
    await changeUser(app, userId, { hashedPassword: unusablePassword })
    app.clock.advance(60)
    await changePasskey(app, 'DELETE', first, accessToken)
    const body = { emailed_token: await emailedCode(app) }
    const answers = await Promise.all(
      [first, second].map((each) => changePasskey(app, 'DELETE', each, accessToken, body)),
    )
    expect(answers.map(({ statusCode }) => statusCode).filter((status) => status === 204)).toHaveLength(1)
    const { passkeys: left } = await listPasskeys(app, accessToken)
    expect(left).toHaveLength(1)
    expectProblem(await changePasskey(app, 'DELETE', left[0].id, accessToken), 'last_sign_in_method')
  })
})
