import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const refused = { problem: { status: 429 } }

const limitOf = async (max: number) => (await createTestApp()).addressLimit('rotation', max)

/** The nth /64 of one /56, and the nth /56 of one /48. */
const inOneSlash56 = (n: number) => `2001:db8:1:a${n.toString(16).padStart(2, '0')}::1`
const inOneSlash48 = (n: number) => `2001:db8:1:${n.toString(16).padStart(2, '0')}00::1`

// Providers delegate a /56 or a /48, so one attacker can send each attempt from a new /64.
test.each([
  ['/56', inOneSlash56, 4, '2001:db8:1:b00::1'],
  ['/48', inOneSlash48, 16, '2001:db8:2::1'],
])('all /64s of one %s share a limit', async (_network, address, times, elsewhere) => {
  const { take } = await limitOf(2)
  for (let n = 0; n < 2 * times; n += 1) await take(address(n))
  for (const n of [0, 2 * times]) await expect(take(address(n))).rejects.toMatchObject(refused)
  await take(elsewhere)
})

test('an attempt that a wider network refuses does not count for the narrower ones', async () => {
  const { take } = await limitOf(2)
  const giveBack = await take(inOneSlash56(0))
  const giveBackToo = await take(inOneSlash56(1))
  for (let n = 2; n < 8; n += 1) await take(inOneSlash56(n))
  for (let time = 0; time < 2; time += 1) await expect(take(inOneSlash56(8))).rejects.toMatchObject(refused)
  await giveBack()
  await giveBackToo()
  for (let time = 0; time < 2; time += 1) await take(inOneSlash56(8))
  await expect(take(inOneSlash56(8))).rejects.toMatchObject(refused)
})

test('an attempt that is given back counts for no network', async () => {
  const { take } = await limitOf(1)
  for (let n = 0; n < 20; n += 1) await (await take(inOneSlash48(n)))()
  for (let n = 0; n < 16; n += 1) await take(inOneSlash48(n))
  await expect(take(inOneSlash48(16))).rejects.toMatchObject(refused)
})

// Behind NAT64 all IPv4 clients have one /64: they would share a limit, or an attacker would have two.
test('an IPv4 address behind NAT64 counts as that IPv4 address', async () => {
  const { take } = await limitOf(1)
  await take('64:ff9b::192.0.2.1')
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused)
  for (let host = 2; host < 40; host += 1) await take(`64:ff9b::192.0.2.${host}`)
})
