import { expect, test } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { cleanUp } from '../../src/jobs/clean-up.ts'
import { changeUser, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { requestReset, resendVerification, resetPassword, verify } from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'

const day = 24 * 60 * 60

async function exists(app: TestApp, id: number): Promise<boolean> {
  await cleanUp(app.ctx)
  return (await app.ctx.users.findById(id)) !== undefined
}

// Everyone can register the address of a stranger, who could then never register.
test('a registration that no one verifies or logs in to expires after 7 days, and its names are free', async () => {
  const app = await createTestApp()
  const { id, email } = await register(app, 'mallory')
  app.clock.advance(7 * day)
  expect(await exists(app, id)).toBe(true)
  app.clock.advance(1)
  expect(await exists(app, id)).toBe(false)

  const body = { email, username: 'mallory', password }
  expect((await app.inject({ method: 'POST', url: '/api/v1/auth/register', body })).statusCode).toBe(201)
})

test('users who log in or verify the address keep the account', async () => {
  const app = await createTestApp()
  const [alice, bob] = [await register(app), await register(app, 'bob')]
  await tryLogIn(app, 'alice', password)
  await verify(app, await emailedToken(app, 'verification', bob.email))
  app.clock.advance(60 * day)
  for (const { id } of [alice, bob]) expect(await exists(app, id)).toBe(true)
})

// Otherwise each clean-up would read all users who have verified their address and never log in.
test('an account with a verified address is no longer in the index of the clean-up', async () => {
  const app = await createTestApp()
  const [alice, bob] = [await register(app), await register(app, 'bob')]
  await verify(app, await emailedToken(app, 'verification', alice.email))
  await resetPassword(app, await requestReset(app, bob.email))
  const rows = await app.db.read.select({ since: users.unclaimedSince }).from(users)
  expect(rows).toEqual([{ since: null }, { since: null }])
})

// An administrator may have verified the address with SQL.
test('a verified address keeps it, also if it is not recorded as claimed', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  await changeUser(app, id, { isVerified: true })
  app.clock.advance(8 * day)
  expect(await exists(app, id)).toBe(true)
})

test('a failed login does not keep it', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  await tryLogIn(app, 'alice', 'Wrong-Horse-7')
  app.clock.advance(8 * day)
  expect(await exists(app, id)).toBe(false)
})

test('an account that an administrator has deactivated does not expire: its names stay blocked', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  await changeUser(app, id, { isActive: false })
  app.clock.advance(8 * day)
  expect(await exists(app, id)).toBe(true)
})

test('an account that an administrator has activated again does not expire either', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  for (const command of ['deactivate', 'activate']) await runCommand(app, command, 'alice')
  app.clock.advance(8 * day)
  expect(await exists(app, id)).toBe(true)
})

// After an outage of the mail server, a stranger would get a token of no user.
test('the emails of an expired registration are deleted with it, and no others', async () => {
  const app = await createTestApp()
  const { id } = await register(app, 'mallory')
  await register(app)
  await tryLogIn(app, 'alice', password)
  app.clock.advance(7 * day)
  await resendVerification(app, 'mallory@example.com')
  app.clock.advance(1)
  await resendVerification(app)
  expect(await emailsTo(app, 'mallory@example.com')).not.toEqual([])
  expect(await exists(app, id)).toBe(false)
  expect(await emailsTo(app, 'mallory@example.com')).toEqual([])
  expect(await emailsTo(app)).not.toEqual([])
})

test('UNVERIFIED_USER_EXPIRE_DAYS=0 keeps all', async () => {
  const app = await createTestApp({ UNVERIFIED_USER_EXPIRE_DAYS: '0' })
  const { id } = await register(app)
  app.clock.advance(400 * day)
  expect(await exists(app, id)).toBe(true)
})
