import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

test('pages load the browser script from this service', async () => {
  const app = await createTestApp()
  const { statusCode, headers, body } = await app.inject({ url: '/pages/simplewebauthn.js' })
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  // Under the name by which pages/webauthn.js knows it.
  expect(body).toContain('.SimpleWebAuthnBrowser={}')
})

test('password managers find the page for passkeys', async () => {
  const app = await createTestApp({ FRONTEND_URL: 'https://example.com/' })
  const { statusCode, headers, body } = await app.inject({ url: '/.well-known/passkey-endpoints' })
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toMatch(/^application\/json/)
  const account = 'https://example.com/account'
  expect(JSON.parse(body)).toEqual({ enroll: account, manage: account })
})
