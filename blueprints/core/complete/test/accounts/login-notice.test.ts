import { describe, expect, test } from 'vitest'
import { password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { newPassword, registerVerified, requestReset, resetPassword } from '../support/flows.ts'
import { emailsTo } from '../support/mailbox.ts'

const home = '192.0.2.1'
const elsewhere = '198.51.100.7'
const on = { NOTICE_NEW_LOGIN: 'true' }

const notices = async (app: TestApp) =>
  (await emailsTo(app)).filter(({ template }) => template === 'new_login').map(({ variables }) => variables)

describe('a login', () => {
  test('from a new client emails a notice, and the next ones do not', async () => {
    const app = await createTestApp(on)
    await registerVerified(app)
    for (let time = 0; time < 3; time += 1) await tryLogIn(app, 'alice', password, elsewhere)
    expect(await notices(app)).toEqual([
      { username: 'alice', time: '2026-01-01 12:00 UTC', address: '198[.]51[.]100[.]7' },
    ])
  })

  test('from the client that registered emails none', async () => {
    const app = await createTestApp(on)
    await registerVerified(app)
    await tryLogIn(app, 'alice', password, '127.0.0.1')
    expect(await notices(app)).toEqual([])
  })

  test('emails none to an address that is not verified: it may be a stranger’s', async () => {
    const app = await createTestApp(on)
    await register(app)
    await tryLogIn(app, 'alice', password, elsewhere)
    expect(await notices(app)).toEqual([])
  })

  test('with a wrong password emails none', async () => {
    const app = await createTestApp(on)
    await registerVerified(app)
    await tryLogIn(app, 'alice', 'Wrong-Horse-7', elsewhere)
    expect(await notices(app)).toEqual([])
  })
})

test('after a reset every client is new: the thief of the old password may be one of them', async () => {
  const app = await createTestApp(on)
  await registerVerified(app)
  await tryLogIn(app, 'alice', password, home)
  await resetPassword(app, await requestReset(app))
  await tryLogIn(app, 'alice', newPassword, home)
  expect(await notices(app)).toHaveLength(2)
})

test('NOTICE_NEW_LOGIN=false turns the notice off', async () => {
  const app = await createTestApp({ NOTICE_NEW_LOGIN: 'false' })
  await registerVerified(app)
  await tryLogIn(app, 'alice', password, elsewhere)
  expect(await notices(app)).toEqual([])
})
