import { expect, test } from 'vitest'
import { endAccess } from '../../src/accounts/end-access.ts'
import { replacePassword } from '../../src/accounts/reset-password.ts'
import { restoreEmail } from '../../src/accounts/restore-email.ts'
import { queueEmail } from '../../src/email/outbox.ts'
import { logIn, putMe, readUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import {
  registerVerified,
  requestReset,
  resendVerification,
  resetPassword,
  undoEmailChange,
} from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'
import { createTestMailer, deliverDue } from '../support/mailer.ts'

async function appWithMailer() {
  const mailer = createTestMailer()
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = await createTestApp({}, { level: 'info', stream }, { mailer })
  const sent = async (to: string) => {
    await deliverDue(app)
    return mailer.sent.filter((message) => message.to === to).map(({ subject }) => subject)
  }
  const givenUp = () => lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'mail.given_up')
  return { app, sent, givenUp }
}

// The mail server was down meanwhile. Users would enter a token that is void.
test('an email whose token was replaced is not sent any more', async () => {
  const { app, sent, givenUp } = await appWithMailer()
  const { id: userId } = await register(app)
  await resendVerification(app)
  expect(await sent('alice@example.com')).toHaveLength(1)
  const template = expect.stringContaining('verification')
  expect(givenUp()).toMatchObject([{ level: 30, mailId: 1, userId, template, attempts: 0 }])
})

test('an email whose token was voided is not sent any more, and notices are', async () => {
  const { app, sent } = await appWithMailer()
  await registerVerified(app)
  const token = await logIn(app)
  await putMe(app, token, { email: 'new@example.com' })
  const reset = await requestReset(app)
  await resetPassword(app, reset)
  expect(await sent('new@example.com')).toEqual([])
  expect(await sent('alice@example.com')).toContain('Your password was changed')
})

test('the confirmation of a cancelled change is not sent any more', async () => {
  const { app, sent, givenUp } = await appWithMailer()
  await registerVerified(app)
  const token = await logIn(app)
  await putMe(app, token, { email: 'new@example.com' })
  await putMe(app, token, { email: 'alice@example.com' })
  expect(await sent('new@example.com')).toEqual([])
  expect(givenUp()).toMatchObject([{ template: 'confirm_email_change' }])
})

// A thief asked for it: their address would still get a token for the account of the owner.
test.each(['an undo', 'set-email'])(
  'the confirmation of a change that %s ends is not sent any more',
  async (what) => {
    const { app, sent } = await appWithMailer()
    const { id } = await registerVerified(app)
    await changeEmail(app, await logIn(app), 'thief@example.com')
    await putMe(app, await logIn(app), { email: 'other@example.com' })
    if (what === 'an undo') await undoEmailChange(app, await emailedToken(app, 'undo'))
    else
      await app.db.transaction(async (tx) =>
        restoreEmail(app.ctx, tx, await readUser(app, id), 'owner@example.com'),
      )
    expect(await sent('other@example.com')).toEqual([])
  },
)

/** Names of templates that an owner may write. Ours have tokens, and some of theirs sound the same. */
const ownTemplates = ['order_confirmed', 'reset_reminder', 'verification_of_age', 'hello']

/** Queues an email of each of the owner's templates. Its subject is the name. */
async function queueOwn({ ctx, db }: TestApp, userId: number) {
  const { templates } = ctx.outbox
  ctx.outbox.templates = {
    names: [...templates.names, ...ownTemplates],
    render: (template, variables) =>
      ownTemplates.includes(template)
        ? { subject: template, html: template, text: template }
        : templates.render(template, variables),
  }
  await db.transaction(async (tx) => {
    for (const template of ownTemplates)
      await queueEmail(ctx, tx, { to: 'alice@example.com', userId, template, variables: {} })
  })
}

/** What revokes emailed tokens. Each is prepared before the owner's emails are queued. */
const revocations: Record<string, (app: TestApp, userId: number) => Promise<() => Promise<unknown>>> = {
  'a reset of the password': async (app) => {
    const token = await requestReset(app)
    return () => resetPassword(app, token)
  },
  'a change of the password': async (app, userId) => {
    const user = await readUser(app, userId)
    return () => app.db.transaction((tx) => replacePassword(app.ctx, tx, user, 'another hash'))
  },
  'the end of all access': async (app, userId) => () =>
    app.db.transaction((tx) => endAccess(app.ctx, tx, userId)),
  'another verification': async (app) => () => resendVerification(app),
}

// Emails with a token of ours are named by its kind. By the name of the template, orders were lost.
test.each(Object.entries(revocations))(
  "%s gives up none of an owner's own emails",
  async (_name, prepare) => {
    const { app, sent, givenUp } = await appWithMailer()
    const { id } = await register(app)
    const revoke = await prepare(app, id)
    await queueOwn(app, id)
    await revoke()
    expect(await sent('alice@example.com')).toEqual(expect.arrayContaining(ownTemplates))
    expect(givenUp().map(({ mailId }) => mailId)).toContain(1)
  },
)
