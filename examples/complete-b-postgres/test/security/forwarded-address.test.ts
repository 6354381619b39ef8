import { expect, test } from 'vitest'
import { createTestApp } from '../app.ts'

/** The address that the service takes for the client's, given that of the connection and the header. */
async function addressSeen(trustProxy: string, connection: string, forwardedFor: string) {
  const app = await createTestApp({ TRUST_PROXY: trustProxy })
  app.get('/address', async (request) => ({ address: request.ip }))
  const headers = { 'x-forwarded-for': forwardedFor }
  const response = await app.inject({ url: '/address', remoteAddress: connection, headers })
  return response.json().address
}

test('a client cannot write its own address', async () => {
  expect(await addressSeen('', '192.0.2.1', '203.0.113.9')).toBe('192.0.2.1')
})

test('a trusted proxy tells the address', async () => {
  expect(await addressSeen('10.0.0.0/8', '10.1.2.3', '203.0.113.9')).toBe('203.0.113.9')
})

test('behind a trusted proxy only what the proxy added counts', async () => {
  expect(await addressSeen('10.0.0.0/8', '10.1.2.3', '198.51.100.1, 203.0.113.9')).toBe('203.0.113.9')
})

test('a client that goes around the proxy is not believed', async () => {
  expect(await addressSeen('10.0.0.0/8', '192.0.2.1', '203.0.113.9')).toBe('192.0.2.1')
})
