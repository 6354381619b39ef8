import { expect, test } from 'vitest'
import { sendInvitations } from '../../src/import/invitations.ts'
import { changeUser, logIn, readUser } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { newPassword, resetPassword } from '../support/flows.ts'
import { importedLine, importLines } from '../support/import.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'

const withoutHash = (name: string, fields: object = {}) =>
  importedLine(name, { hashed_password: undefined, ...fields })

/** How many emails these users got. */
const counts = (app: TestApp, ...names: string[]) =>
  Promise.all(names.map(async (name) => (await emailsTo(app, `${name}@example.com`)).length))

test('users without a password get a link to set one, which verifies their address', async () => {
  const app = await createTestApp()
  await importLines(app, [withoutHash('alice')], '--invite')
  await sendInvitations(app.ctx)
  const [email] = await emailsTo(app)
  expect(email?.template).toMatch(/^invitation_/)
  const { forgot_url: forgot, reset_url: reset } = email?.variables ?? {}
  expect(forgot).toBe('http://localhost:3000/forgot-password')
  expect(reset).toMatch(/^http:\/\/localhost:3000\/reset-password#token=/)
  expect((await resetPassword(app, await emailedToken(app, 'reset'))).statusCode).toBe(200)
  await logIn(app, 'alice', newPassword)
  expect((await readUser(app, 1)).isVerified).toBe(true)
})

test('without --invite, and with a password or inactive, nobody is invited', async () => {
  const app = await createTestApp()
  await importLines(app, [withoutHash('alice')])
  await importLines(app, [importedLine('bob'), withoutHash('carol', { is_active: false })], '--invite')
  for (let second = 0; second < 3; second += 1) {
    await sendInvitations(app.ctx)
    app.clock.advance(1)
  }
  expect(await counts(app, 'alice', 'bob', 'carol')).toEqual([0, 0, 0])
})

// Mail servers block a sender of thousands of emails in a minute, and then resets do not arrive either.
test.each([
  ['60', 1, 1],
  ['90', 2, 2],
  ['10', 1, 6],
])('%s a minute are %i in %i seconds, by all instances together', async (perMinute, most, seconds) => {
  const app = await createTestApp({ IMPORT_INVITATIONS_PER_MINUTE: perMinute, RATE_LIMIT_ENABLED: 'false' })
  const names = Array.from({ length: 5 }, (_, at) => `user${at}`)
  await importLines(
    app,
    names.map((name) => withoutHash(name)),
    '--invite',
  )
  const sent = async () => {
    for (let instance = 0; instance < 3; instance += 1) await sendInvitations(app.ctx)
    return (await counts(app, ...names)).reduce((sum, count) => sum + count, 0)
  }
  expect(await sent()).toBe(most)
  app.clock.advance(seconds / 2)
  expect(await sent()).toBe(most)
  app.clock.advance(seconds / 2)
  expect(await sent()).toBe(2 * most)
})

// An email with a reset that nobody asked for looks like an attack.
test('who has set a password or was deactivated meanwhile is not invited', async () => {
  const app = await createTestApp({ IMPORT_INVITATIONS_PER_MINUTE: '6000' })
  await importLines(
    app,
    ['alice', 'bob', 'carol'].map((name) => withoutHash(name)),
    '--invite',
  )
  await changeUser(app, 1, { hashedPassword: 'set since' })
  await changeUser(app, 2, { isActive: false })
  await sendInvitations(app.ctx)
  await changeUser(app, 1, { hashedPassword: '!' })
  await changeUser(app, 2, { isActive: true })
  await sendInvitations(app.ctx)
  expect(await counts(app, 'alice', 'bob', 'carol')).toEqual([0, 0, 1])
})
