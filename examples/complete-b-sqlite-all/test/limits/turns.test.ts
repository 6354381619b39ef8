import { expect, test } from 'vitest'
import { createTurns } from '../../src/limits/turns.ts'

const ipv4 = '192.0.2.1'
/** An address in the /48 2001:db8:1::. The first digits name its /56, the others its /64. */
const ipv6 = (subnet: string) => `2001:db8:1:${subnet}::1`

/** The order in which work of these clients is done, if all of it waits. */
function orderOf(clients: Record<string, string>) {
  const turns = createTurns<string>()
  for (const [work, address] of Object.entries(clients)) turns.add(address, work)
  const order: string[] = []
  while (!turns.isEmpty()) order.push(turns.next() ?? 'nothing')
  expect(turns.next()).toBe(undefined)
  return order.join(' ')
}

test('clients alternate, each in its own order', () => {
  expect(orderOf({ a1: ipv4, a2: ipv4, a3: ipv4, b1: '192.0.2.2', b2: '192.0.2.2', c1: ipv6('1') })).toBe(
    'a1 b1 c1 a2 b2 a3',
  )
})

test('an attacker with a /48 or a /56 has the turns of one client', () => {
  expect(orderOf({ a1: ipv6('101'), a2: ipv6('201'), a3: ipv6('301'), b1: ipv4, b2: ipv4 })).toBe(
    'a1 b1 a2 b2 a3',
  )
  expect(
    orderOf({ a1: ipv6('101'), a2: ipv6('102'), a3: ipv6('103'), b1: ipv6('201'), b2: ipv6('201') }),
  ).toBe('a1 b1 a2 b2 a3')
})

test.each([
  ['/56', ipv6('102')],
  ['/48', ipv6('201')],
])('neighbours in one %s alternate', (_network, neighbour) => {
  const attacker = ipv6('101')
  expect(orderOf({ a1: attacker, a2: attacker, a3: attacker, b1: neighbour, b2: neighbour })).toBe(
    'a1 b1 a2 b2 a3',
  )
})

test('a client may have `max` waiting, its /56 twice and its /48 4 times as much', () => {
  const turns = createTurns<string>(2)
  const add = (address: string) => turns.add(address, 'work')
  const twice = (address: string) => [add(address), add(address)]
  expect([...twice(ipv4), add(ipv4), add('192.0.2.2')]).toEqual([true, true, false, true])
  expect([...twice(ipv6('100')), add(ipv6('100'))]).toEqual([true, true, false])
  expect([...twice(ipv6('101')), add(ipv6('102'))]).toEqual([true, true, false])
  for (const subnet of ['200', '201']) expect(twice(ipv6(subnet))).toEqual([true, true])
  expect([add(ipv6('202')), add(ipv6('301')), add('2001:db8:2::1')]).toEqual([false, false, true])

  // A turn of each client.
  for (let turn = 0; turn < 3; turn += 1) turns.next()
  expect([add(ipv4), add(ipv6('100'))]).toEqual([true, true])
})
