import { describe, expect, test } from 'vitest'
import { robbed, World } from './people.js'

const days = (count: number) => count * 24 * 60

/** What a naive build of the contract gets wrong, each as the contract ends it. */
describe('what the rules leave a thief', () => {
  test('9: nobody undoes an undo', () => {
    const { world, owner, thief } = robbed()
    world.put(thief, 'evil@x.org')
    world.verify(thief)
    world.put(thief, 'evil2@x.org')
    world.verify(thief)
    expect(world.token(thief, 'undo', 'evil@x.org')).not.toBe('')
    expect(world.undo(owner)).toBe(200)
    expect(world.undo(thief)).toBe(400)
    expect(world.waysIn(thief, 'alice')).toEqual([])
  })

  test('10: a reset leaves undo tokens', () => {
    const { world, owner, thief } = robbed()
    world.put(thief, 'evil@x.org')
    world.verify(thief)
    world.recover(thief, 'evil@x.org', 'evil-1')
    expect(world.waysIn(owner, 'alice')).toContain('undo')
    expect(world.undo(owner)).toBe(200)
  })

  test('11: no number of requests drops the email with the undo', () => {
    const { world, owner, thief } = robbed()
    for (let time = 0; time < 5; time += 1) expect(world.put(thief, 'evil@x.org')).toBe(200)
    expect(world.put(thief, 'evil@x.org')).toBe(429)
    expect(world.put(thief, 'evil2@x.org')).toBe(200)
    expect(world.verify(thief, 'evil2@x.org')).toBe(200)
    expect(world.undo(owner)).toBe(200)
  })

  test('12: a corrected registration leaves the stranger nothing', () => {
    const world = new World('b')
    const owner = world.join('right@x.org')
    const stranger = world.join('wrong@x.org')
    world.register(owner, 'alice', 'wrong@x.org', 'own-1')
    world.login(owner, 'alice')
    expect(world.put(owner, 'right@x.org')).toBe(200)
    // The token of the registration is void.
    expect(world.do('verify', { token: stranger.inbox[0]?.text }).status).toBe(400)
    world.do('resend', { email: 'wrong@x.org' })
    expect(stranger.inbox).toHaveLength(1)
    expect(world.verify(owner)).toBe(200)
    expect(world.token(stranger, 'undo')).toBe('')
    expect(world.waysIn(stranger, 'alice')).toEqual([])
    expect(world.register(stranger, 'bob', 'wrong@x.org', 'own-2')).toBe(201)
  })

  test('13: a change back is the undo: it gives none to the address that it leaves, and ends what a thief has', () => {
    const { world, owner, thief } = robbed()
    world.put(thief, 'evil@x.org')
    world.verify(thief)
    world.recover(thief, 'evil@x.org', 'evil-1')
    expect(world.login(thief, 'alice')).toBe(true)
    owner.passwords.add('evil-1')
    expect(world.login(owner, 'alice')).toBe(true)
    expect(world.put(owner, 'e@x.org')).toBe(200)
    expect(world.verify(owner)).toBe(200)
    expect(world.undo(thief)).toBe(400)
    expect(world.waysIn(thief, 'alice')).toEqual([])
    expect(world.reset(owner, 'own-2')).toBe(200)
  })

  test('14: an account is not deleted while its owner can take it back', () => {
    const { world, owner, thief } = robbed()
    world.put(thief, 'evil@x.org')
    world.verify(thief)
    world.recover(thief, 'evil@x.org', 'evil-1')
    world.login(thief, 'alice')
    const given = { access: thief.access.at(-1), password: 'evil-1' }
    expect(world.do('delete', given)).toMatchObject({ status: 409, code: 'email_change_can_be_undone' })
    expect(world.undo(owner)).toBe(200)
  })

  test('15: a reserved address is taken for everybody but its user', () => {
    const { world, owner, thief } = robbed()
    const other = world.join('o@x.org')
    world.register(other, 'oscar', 'o@x.org', 'own-3')
    world.login(other, 'oscar')
    world.put(thief, 'evil@x.org')
    world.verify(thief)
    expect(world.put(other, 'e@x.org')).toBe(409)
    expect(world.register(other, 'erin', 'E@x.org', 'own-3')).toBe(409)
    expect(world.do('user create', { name: 'erin', email: 'e@x.org' }).status).toBe(1)
    expect(world.do('user import', { name: 'erin', email: 'e@x.org', password: 'own-3' }).status).toBe(1)
    expect(world.do('user set-email', { user: 'oscar', email: 'e@x.org' }).status).toBe(1)
    expect(world.undo(owner)).toBe(200)
  })
})

test('16: a thief who reads and deletes the email with the undo keeps nothing', () => {
  const { world, owner, thief } = robbed()
  world.put(thief, 'evil@x.org')
  world.verify(thief)
  thief.inbox.push(...owner.inbox.splice(0))
  expect(world.undo(owner)).toBe(400)
  world.do('forgot', { email: 'e@x.org' })
  expect(world.undo(thief)).toBe(400)
  expect(world.undo(owner)).toBe(200)
  expect(world.reset(owner, 'own-2')).toBe(200)
  expect(world.waysIn(thief, 'alice')).toEqual([])
})

test('17: logging out everywhere ends a reset that a thief has read', () => {
  const { world, owner, thief } = robbed()
  world.do('forgot', { email: 'e@x.org' })
  thief.inbox.push(...owner.inbox)
  expect(world.waysIn(thief, 'alice')).toContain('reset')
  expect(world.do('logout-all', { access: owner.access.at(-1) }).status).toBe(204)
  expect(world.waysIn(thief, 'alice')).toEqual([])
})

test('two users who asked for one address: the first who confirms has it', () => {
  const world = new World('a')
  const one = world.join('one@x.org', 'new@x.org')
  const two = world.join('two@x.org', 'new@x.org')
  world.register(one, 'one', 'one@x.org', 'own-1')
  world.register(two, 'two', 'two@x.org', 'own-2')
  world.login(one, 'one')
  world.login(two, 'two')
  world.put(one, 'new@x.org')
  const ofOne = world.token(one, 'to verify')
  world.put(two, 'new@x.org')
  expect(world.do('verify', { token: ofOne, access: two.access.at(-1) }).status).toBe(400)
  expect(world.do('verify', { token: ofOne, access: one.access.at(-1) }).status).toBe(200)
  expect(world.verify(two)).toBe(400)
  expect(world.user('two').email).toBe('two@x.org')
})

test('the name of a deleted user stays taken, that of a registration that nobody used does not', () => {
  const world = new World('b')
  const owner = world.join('e@x.org')
  world.register(owner, 'alice', 'e@x.org', 'own-1')
  world.login(owner, 'alice')
  expect(world.do('delete', { access: owner.access.at(-1), password: 'own-1' }).status).toBe(204)
  expect(world.register(owner, 'Alice', 'e@x.org', 'own-1')).toBe(409)
  expect(world.register(owner, 'bob', 'e@x.org', 'own-1')).toBe(201)
  world.pass(days(7) + 1)
  world.do('clean-up')
  expect(world.register(owner, 'bob', 'e@x.org', 'own-1')).toBe(201)
})
