import { expect, test } from 'vitest'
import { clientOf, createAddressLimits } from '../../src/limits/address-limit.ts'
import { createClock } from '../support/app.ts'

function createLimit(max: number) {
  const clock = createClock()
  return { clock, ...createAddressLimits({ enabled: true }, clock.now).limit('test', max) }
}

const refused = (retryAfter: number) => ({ problem: { status: 429 }, details: { retryAfter } })

test('an address over the limit is refused until its minute ends', async () => {
  const { clock, take } = createLimit(2)
  await take('192.0.2.1')
  clock.advance(20)
  await take('192.0.2.1')
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(40))
  clock.advance(39)
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(1))
  clock.advance(1)
  await take('192.0.2.1')
})

test('a refused attempt does not extend the wait', async () => {
  const { clock, take } = createLimit(1)
  await take('192.0.2.1')
  for (let second = 0; second < 59; second += 1) {
    clock.advance(1)
    await expect(take('192.0.2.1')).rejects.toMatchObject(refused(59 - second))
  }
  clock.advance(1)
  await take('192.0.2.1')
})

test('an IPv6 client waits until all its networks have room again', async () => {
  const { clock, take } = createLimit(1)
  await take('2001:db8:1:1::1')
  clock.advance(20)
  for (const subnet of [2, 3, 4]) await take(`2001:db8:1:${subnet}::1`)
  await expect(take('2001:db8:1:5::1')).rejects.toMatchObject(refused(40))
  await expect(take('2001:db8:1:4::1')).rejects.toMatchObject(refused(60))
  clock.advance(40)
  await take('2001:db8:1:5::1')
  await expect(take('2001:db8:1:4::1')).rejects.toMatchObject(refused(20))
})

// A clock that was an hour fast refused an address for an hour after it was set.
test('a clock that jumps back does not extend a window', async () => {
  const { clock, take } = createLimit(1)
  await take('192.0.2.1')
  clock.advance(-3600)
  await take('192.0.2.1')
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(60))
})

test('another address has its own limit', async () => {
  const { take } = createLimit(1)
  await take('192.0.2.1')
  await take('192.0.2.2')
})

test('an attempt that is given back can be used once more', async () => {
  const { take } = createLimit(2)
  await take('192.0.2.1')
  const giveBack = await take('192.0.2.1')
  await giveBack()
  await take('192.0.2.1')
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(60))
})

test('giving back an attempt of an earlier minute does not change the current one', async () => {
  const { clock, take } = createLimit(1)
  const giveBack = await take('192.0.2.1')
  clock.advance(60)
  await take('192.0.2.1')
  await giveBack()
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(60))
})

test('concurrent attempts stay within the limit', async () => {
  const { take } = createLimit(5)
  const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => take('192.0.2.1')))
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
})

test.each([
  ['the same IPv6 /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['another /64', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['an IPv4 address written as IPv6', '::ffff:192.0.2.1', '192.0.2.1', true],
  ['two IPv4 addresses written as IPv6', '::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['an IPv4 address behind NAT64', '64:ff9b::192.0.2.1', '192.0.2.1', true],
  ['two IPv4 addresses behind NAT64', '64:ff9b::192.0.2.1', '64:ff9b::192.0.2.2', false],
  ['the prefix of NAT64 and another', '64:ff9b::192.0.2.1', '64:ff9b:1::192.0.2.1', false],
  ['one address with two zones', 'fe80::1%eth0', 'fe80::1%eth1', true],
])('%s: %s and %s are one client: %s', (_case, one, other, same) => {
  expect(clientOf(one) === clientOf(other)).toBe(same)
})

test('a flood of addresses evicts the oldest, so memory stays bounded', async () => {
  const { take } = createLimit(1)
  await take('192.0.2.1')
  for (let host = 0; host < 50_000; host += 1)
    await take(`10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`)
  await take('192.0.2.1')
  await expect(take('10.0.195.79')).rejects.toMatchObject(refused(60))
})
