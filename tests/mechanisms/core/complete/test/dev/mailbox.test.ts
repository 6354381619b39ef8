import { expect, test } from 'vitest'
import home from '../../dev/home/routes.ts'
import mailbox from '../../dev/mailbox/routes.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, shareTestApp, type TestApp } from '../support/app.ts'
import { createDevelopmentApp } from '../support/development.ts'
import { smtpSettings } from '../support/email-settings.ts'
import { createTestMailer, queueEmails } from '../support/mailer.ts'
import { expectProblem } from '../support/problem.ts'

const messages = async (app: TestApp) => (await app.inject({ url: '/dev/mailbox/messages' })).json().messages

const urls = [
  '/dev/mailbox',
  '/dev/mailbox/mailbox.css',
  '/dev/mailbox/mailbox.js',
  '/dev/mailbox/messages',
  '/dev/mailbox/messages/1/html',
]

const options = { plugins: [mailbox] }
const shared = await shareTestApp({}, false, options)
await register(shared)

test('kept emails are listed, newest first, with their tokens', async () => {
  const app = await createTestApp({}, false, options)
  expect(await messages(app)).toEqual([])
  await register(app, 'alice')
  app.clock.advance(5)
  await queueEmails(app)
  await register(app, 'bob')
  const [bob, notice, alice] = await messages(app)
  expect(bob).toMatchObject({ id: 3, to: 'bob@example.com', created_at: '2026-01-01T12:00:05.250Z' })
  expect(notice).toMatchObject({ id: 2, template: 'password_changed' })
  expect(notice).not.toHaveProperty('token')
  expect(alice).toMatchObject({ id: 1, to: 'alice@example.com', created_at: '2026-01-01T12:00:00.250Z' })
  expect(alice.text).toContain(alice.url ?? alice.code)

  const { token } = alice
  const verified = await app.inject({ method: 'POST', url: '/api/v1/auth/verify-email', body: { token } })
  expect(verified.statusCode).toBe(200)
})

test.each(urls)('%s is served', async (url) => {
  const response = await shared.inject({ url })
  expect(response.statusCode).toBe(200)
  expect(response.headers['cache-control']).toBe('no-store')
})

test('the page loads only files of the service and runs no inline scripts', async () => {
  const page = await shared.inject({ url: '/dev/mailbox' })
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  )
  expect(page.headers['cross-origin-opener-policy']).toBe('same-origin')
  expect(page.body).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|style=/)
  for (const [, asset] of page.body.matchAll(/(?:src|href)="([^"]+)"/g))
    expect(asset).toMatch(/^(\/dev\/mailbox|\/$|data:,$)/)
})

test('an email is shown in a sandbox without scripts, and its links open outside the frame', async () => {
  const { headers, body } = await shared.inject({ url: '/dev/mailbox/messages/1/html' })
  const policy = String(headers['content-security-policy'])
  expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';/)
  expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src/)
  expect(body).toContain('<head><base target="_blank">')
  const page = await shared.inject({ url: '/dev/mailbox' })
  expect(page.body).toMatch(/<iframe[^>]* sandbox="allow-popups allow-popups-to-escape-sandbox"/)
})

test('a missing email is a 404', async () => {
  for (const id of ['99', '0', 'x'])
    expectProblem(await shared.inject({ url: `/dev/mailbox/messages/${id}/html` }), 'not_found')
})

test.each<[string, Parameters<typeof createTestApp>]>([
  ['without dev/server.ts', [{ NODE_ENV: 'development' }]],
  ['if a mail server is set', [smtpSettings(25), false, options]],
  ['if a mailer is passed', [{}, false, { ...options, mailer: createTestMailer() }]],
])('there is no mailbox %s', async (_case, options) => {
  const app = await createTestApp(...options)
  await register(app)
  for (const url of urls) expectProblem(await app.inject({ url }), 'not_found')
})

test.each([
  ['kept in the mailbox', {}],
  ['sent', smtpSettings(25)],
])('the home page says that emails are %s', async (value, env) => {
  const app = await createTestApp(env, false, { plugins: [home] })
  const { facts } = (await app.inject({ url: '/dev/home.json' })).json()
  expect(facts).toContainEqual({ name: 'Emails', value })
})

test('the mailbox is not in the OpenAPI document', async () => {
  expect((await shared.inject({ url: '/openapi.json' })).body).not.toContain('mailbox')
})

test('the address of the mailbox is logged at startup', async () => {
  const lines: string[] = []
  const app = await createTestApp(
    {},
    { level: 'info', stream: { write: (line) => void lines.push(line) } },
    options,
  )
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  await expect
    .poll(() => lines.join(''), { timeout: 60_000 })
    .toContain(`emails are kept: ${address}/dev/mailbox`)
})

test.each([
  [{}, 'email to alice@… → http://localhost:3000/dev/mailbox'],
  [smtpSettings(25), 'email to alice@… → the mail server'],
])('an email is one line that says where it is, without the whole address', async (env, line) => {
  const { app, entries } = await createDevelopmentApp(() => {}, env, 'info', [mailbox])
  await register(app, 'alice')
  expect(entries.map(({ msg }) => msg).filter((msg) => msg.startsWith('email to '))).toEqual([line])
  expect(JSON.stringify(entries)).not.toContain('alice@example')
})
