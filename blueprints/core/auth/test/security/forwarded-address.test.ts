import { describe, expect, test } from 'vitest'
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

// A client has another port on each connection: with the port in its key, it would never reach a limit.
test.each([
  ['203.0.113.9:4711', '203.0.113.9'],
  ['198.51.100.1:4711, 203.0.113.9:4712', '203.0.113.9'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[::ffff:203.0.113.9]:4711', '::ffff:203.0.113.9'],
  ['203.0.113.9:4711, 10.0.0.7:8080,[::ffff:10.0.0.8]:8080', '203.0.113.9'],
])('%s in X-Forwarded-For is the address %s', async (forwardedFor, address) => {
  expect(await addressSeen('10.0.0.0/8', '10.1.2.3', forwardedFor)).toBe(address)
})

// With any text as the address, a client has no limit, and an email about a new login shows the text.
test.each([
  ['unknown', '10.1.2.3'],
  ['198.51.100.1, unknown', '10.1.2.3'],
  ['198.51.100.1, 203.0.113.9:http', '10.1.2.3'],
  ['198.51.100.1, [203.0.113.9', '10.1.2.3'],
  ['198.51.100.1, 203.0.113.9 evil.example', '10.1.2.3'],
  ['evil.example, 203.0.113.9', '203.0.113.9'],
  ['198.51.100.1, unknown, 10.0.0.7', '10.0.0.7'],
  ['198.51.100.1, unknown, 10.0.0.7:8080, 10.0.0.8', '10.0.0.7'],
  // Some libraries read these as 10.0.0.1.
  ['198.51.100.1, 10.1', '10.1.2.3'],
  ['198.51.100.1, 0x0a.0.0.1', '10.1.2.3'],
  ['198.51.100.1, 167772161', '10.1.2.3'],
  ['fe80::1%evil.example', '10.1.2.3'],
  ['', '10.1.2.3'],
  [', ,', '10.1.2.3'],
])('an entry of %j that is no address ends the chain at %s', async (forwardedFor, address) => {
  expect(await addressSeen('10.0.0.0/8', '10.1.2.3', forwardedFor)).toBe(address)
})

describe('a proxy that TRUST_PROXY does not list', () => {
  async function warnings(trustProxy = '') {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const app = await createTestApp({ TRUST_PROXY: trustProxy }, { stream })
    const send = async (forwardedFor: string | undefined, seconds = 0) => {
      app.clock.advance(seconds)
      const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
      await app.inject({ url: '/nowhere', remoteAddress: '192.0.2.1', headers })
      return lines.filter((line) => JSON.parse(line).event === 'proxy.not_trusted')
    }
    return { lines, send }
  }

  test('is logged once an hour, because all its clients share the limits of one address', async () => {
    const { send } = await warnings()
    expect(await send(undefined)).toHaveLength(0)
    expect(await send('203.0.113.9')).toHaveLength(1)
    expect(await send('203.0.113.9')).toHaveLength(1)
    expect(await send('203.0.113.8', 3599)).toHaveLength(1)
    expect(await send(undefined, 1)).toHaveLength(1)
    const logged = await send('203.0.113.7')
    expect(logged).toHaveLength(2)
    for (const line of logged) expect(JSON.parse(line)).toMatchObject({ level: 40 })
  })

  test('is logged without the header, which anyone can write', async () => {
    const { lines, send } = await warnings()
    expect(await send('203.0.113.9, "forged"')).toHaveLength(1)
    expect(lines.join('')).not.toMatch(/203\.0\.113|forged/)
  })

  test('is not logged if TRUST_PROXY is set', async () => {
    const { send } = await warnings('10.0.0.0/8')
    expect(await send('203.0.113.9')).toHaveLength(0)
  })
})
