import { expect, test } from 'vitest'
import { clientOf, createAddressLimit } from '../src/address-limit.ts'
import { createClock } from './app.ts'

function createLimit(max: number) {
  const clock = createClock()
  return { clock, ...createAddressLimit({ max, now: clock.now }) }
}

const refused = (retryAfter: number) => ({ problem: { status: 429 }, details: { retryAfter } })

test('beyond the limit an address is refused until its minute is over', async () => {
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

test('a refused attempt does not make the wait longer', async () => {
  const { clock, take } = createLimit(1)
  await take('192.0.2.1')
  for (let second = 0; second < 59; second += 1) {
    clock.advance(1)
    await expect(take('192.0.2.1')).rejects.toMatchObject(refused(59 - second))
  }
  clock.advance(1)
  await take('192.0.2.1')
})

test('another address has its own limit', async () => {
  const { take } = createLimit(1)
  await take('192.0.2.1')
  await take('192.0.2.2')
})

test('what is given back can be taken again, and no more', async () => {
  const { take, giveBack } = createLimit(1)
  await giveBack('192.0.2.1')
  await take('192.0.2.1')
  await giveBack('192.0.2.1')
  await giveBack('192.0.2.1')
  await take('192.0.2.1')
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(60))
})

test('of many attempts at once no more get through', async () => {
  const { take } = createLimit(5)
  const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => take('192.0.2.1')))
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
})

test.each([
  ['one /64 of IPv6', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['another /64', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['an IPv4 address written as IPv6', '::ffff:192.0.2.1', '192.0.2.1', true],
  ['two IPv4 addresses written as IPv6', '::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['one address with two zones', 'fe80::1%eth0', 'fe80::1%eth1', true],
])('%s: %s and %s are one client: %s', (_case, one, other, same) => {
  expect(clientOf(one) === clientOf(other)).toBe(same)
})

test('a flood of addresses pushes out the oldest: memory stays bounded', async () => {
  const { take } = createLimit(1)
  await take('192.0.2.1')
  for (let host = 0; host < 50_000; host += 1)
    await take(`10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`)
  await take('192.0.2.1')
  await expect(take('10.0.195.79')).rejects.toMatchObject(refused(60))
})
