import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

/** The client address that the service sees, for the address of a connection and its X-Forwarded-For header. */
async function addressSeen(trustProxy: string, connection: string, forwardedFor: string) {
  const app = await createTestApp({ TRUST_PROXY: trustProxy })
  app.get('/address', async (request) => ({ address: request.ip }))
  const headers = { 'x-forwarded-for': forwardedFor }
  const response = await app.inject({ url: '/address', remoteAddress: connection, headers })
  return response.json().address
}

test('a client cannot forge its address', async () => {
  expect(await addressSeen('', '192.0.2.1', '203.0.113.9')).toBe('192.0.2.1')
})

test('a trusted proxy sets the client address', async () => {
  expect(await addressSeen('10.0.0.0/8', '10.1.2.3', '203.0.113.9')).toBe('203.0.113.9')
})

test('behind a trusted proxy, only the address that the proxy added counts', async () => {
  expect(await addressSeen('10.0.0.0/8', '10.1.2.3', '198.51.100.1, 203.0.113.9')).toBe('203.0.113.9')
})

test('a client that bypasses the proxy cannot forge its address', async () => {
  expect(await addressSeen('10.0.0.0/8', '192.0.2.1', '203.0.113.9')).toBe('192.0.2.1')
})
