import { expect, test } from 'vitest'
import { passkeys } from '../../src/db/schema/passkeys.ts'
import { deleteMe, getExport } from '../support/account-data.ts'
import { createTestApp } from '../support/app.ts'
import { post } from '../support/flows.ts'
import {
  askForEmailed,
  logInWithPasskey,
  optionsOf,
  registerWithPasskey,
  sendPasskey,
} from '../support/passkeys.ts'
import { expectProblem } from '../support/problem.ts'

test('the export lists the passkeys of the user alone, and no challenge', async () => {
  const app = await createTestApp()
  const bob = await registerWithPasskey(app, 'bob')
  const { device } = await registerWithPasskey(app)
  const { accessToken } = await logInWithPasskey(app, device)
  const emailed_token = await askForEmailed(app, accessToken)
  const options = await optionsOf(await post(app, 'passkeys/options', { emailed_token }, accessToken))
  const response = await getExport(app, accessToken)
  expect(response.json().passkeys).toEqual([
    {
      name: 'Phone',
      credential_id: device.id.toString('base64url'),
      user_handle: device.userHandle,
      public_key: expect.stringMatching(/^[\w-]{40,}$/),
      transports: 'internal',
      counter: 0,
      backed_up: true,
      created_at: expect.any(String),
      last_used_at: expect.any(String),
    },
  ])
  for (const secret of [options.challenge, emailed_token, bob.device.userHandle])
    expect(response.body).not.toContain(secret)
})

test('passkeys are deleted with the account', async () => {
  const app = await createTestApp()
  const { device, accessToken } = await registerWithPasskey(app)
  const { device: bobs } = await registerWithPasskey(app, 'bob')
  expect((await deleteMe(app, accessToken)).statusCode).toBe(204)
  expect(await app.db.read.$count(passkeys)).toBe(1)
  expectProblem(await sendPasskey(app, device), 'invalid_credentials')
  expect((await sendPasskey(app, bobs)).statusCode).toBe(200)
})
