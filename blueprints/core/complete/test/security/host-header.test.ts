import { expect, test } from 'vitest'
import { bearer, logIn, password } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { handleRequests } from '../support/flows.ts'
import { emailsTo } from '../support/mailbox.ts'

// An attacker could request a reset with their Host header and get the token when the user clicks the link.
test('request headers do not affect an email', async () => {
  const app = await createTestApp({ FRONTEND_URL: 'https://app.example.com', TRUST_PROXY: '127.0.0.1' })
  const headers = {
    host: 'mallory.example',
    'x-forwarded-host': 'mallory.example',
    'x-forwarded-proto': 'mallory',
    'x-forwarded-for': '192.0.2.66',
    forwarded: 'host=mallory.example',
    origin: 'https://mallory.example',
    referer: 'https://mallory.example/',
    'user-agent': 'mallory.example',
  }
  const send = (path: string, body: object) =>
    app.inject({ method: 'POST', url: `http://mallory.example/api/v1/auth/${path}`, headers, body })
  const email = 'alice@example.com'
  expect((await send('register', { email, username: 'alice', password })).statusCode).toBe(201)
  expect((await send('resend-verification', { email })).statusCode).toBe(202)
  expect((await send('forgot-password', { email })).statusCode).toBe(202)
  await handleRequests(app)
  const change = await app.inject({
    method: 'PUT',
    url: '/api/v1/users/me',
    headers: { ...headers, ...bearer(await logIn(app)) },
    body: { email: 'new@example.com' },
  })
  expect(change.statusCode).toBe(200)

  const emails = [...(await emailsTo(app, email)), ...(await emailsTo(app, 'new@example.com'))]
  expect(emails).toHaveLength(5)
  expect(JSON.stringify(emails)).not.toMatch(/mallory|192\.0\.2\.66/)
})
