import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { Authenticator } from '../support/authenticator.ts'
import { post, registerVerified, startSession } from '../support/flows.ts'
import { emailedCode } from '../support/made-up-factor.ts'
import { emailsTo } from '../support/mailbox.ts'
import {
  addPasskey,
  askForEmailed,
  changePasskey,
  listPasskeys,
  logInWithPasskey,
  optionsOf,
  registerWithPasskey,
  sendPasskey,
} from '../support/passkeys.ts'
import { expectProblem } from '../support/problem.ts'

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

test('a user adds a passkey, and logs in with it alone', async () => {
  const app = await createTestApp()
  const { device, id, accessToken } = await registerWithPasskey(app)
  const listed = await listPasskeys(app, accessToken)
  expect(listed.passkeys).toEqual([
    { id, name: 'Phone', created_at: expect.any(String), last_used_at: null, backed_up: true },
  ])
  const tokens = await logInWithPasskey(app, device)
  expect(claimsOf(tokens.accessToken).amr).toEqual(['pop', 'user', 'mfa'])
  expect((await listPasskeys(app, tokens.accessToken)).passkeys[0].last_used_at).toEqual(expect.any(String))
  const templates = (await emailsTo(app)).map(({ template }) => template)
  expect(templates).toContain('passkey_added')
})

test('the options of a new passkey name no user id, and exclude the passkeys that there are', async () => {
  const app = await createTestApp()
  const { accessToken, device, id } = await registerWithPasskey(app)
  const emailed_token = await askForEmailed(app, accessToken)
  const options = await optionsOf(await post(app, 'passkeys/options', { emailed_token }, accessToken))
  expect(options).toMatchObject({
    user: { id: device.userHandle, name: 'alice' },
    excludeCredentials: [{ id: device.id.toString('base64url'), transports: ['internal'] }],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32)
  expect(id).toBeGreaterThan(0)
})

test('a cancelled dialogue of the browser needs no other code: options are given again for 5 minutes', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const emailed_token = await askForEmailed(app, accessToken)
  await optionsOf(await post(app, 'passkeys/options', { emailed_token }, accessToken))
  app.clock.advance(299)
  const options = await optionsOf(await post(app, 'passkeys/options', {}, accessToken))
  const body = { name: 'Key', credential: new Authenticator().create(options), emailed_token }
  expect((await post(app, 'passkeys', body, accessToken)).statusCode).toBe(201)
  // The next one is asked for again.
  expectProblem(await post(app, 'passkeys/options', {}, accessToken), 'emailed_token_required')
})

test('options are asked for again after 5 minutes', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const emailed_token = await askForEmailed(app, accessToken)
  await optionsOf(await post(app, 'passkeys/options', { emailed_token }, accessToken))
  app.clock.advance(301)
  expectProblem(await post(app, 'passkeys/options', {}, accessToken), 'emailed_token_required')
})

test('a passkey is renamed, and removed with an emailed code', async () => {
  const app = await createTestApp()
  const { accessToken, device, id } = await registerWithPasskey(app)
  const renamed = await changePasskey(app, 'PATCH', id, accessToken, { name: 'Old phone' })
  expect(renamed.json()).toEqual({ id, name: 'Old phone', created_at: expect.any(String) })
  expectProblem(await changePasskey(app, 'DELETE', id, accessToken), 'emailed_token_required')
  const body = { emailed_token: await emailedCode(app) }
  expect((await changePasskey(app, 'DELETE', id, accessToken, body)).statusCode).toBe(204)
  expect((await listPasskeys(app, accessToken)).passkeys).toEqual([])
  expectProblem(await sendPasskey(app, device), 'invalid_credentials')
  const last = (await emailsTo(app)).at(-1)
  expect(last).toMatchObject({ template: 'passkey_removed', variables: { name: 'Old phone' } })
})

test('all passkeys of a user have one handle, which the browser is told with those that count', async () => {
  const app = await createTestApp()
  const first = await registerWithPasskey(app)
  const second = await addPasskey(app, first.accessToken)
  expect(second.device.userHandle).toBe(first.device.userHandle)
  const { signal } = await listPasskeys(app, first.accessToken)
  const ids = [second.device, first.device].map((device) => device.id.toString('base64url'))
  expect(signal).toEqual({
    rpId: 'localhost',
    userId: first.device.userHandle,
    allAcceptedCredentialIds: ids,
  })
})
