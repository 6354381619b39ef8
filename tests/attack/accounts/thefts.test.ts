import { describe, expect, test } from 'vitest'
import { robbed, World } from './people.js'

const days = (count: number) => count * 24 * 60

/** The sequences that took accounts, or locked their owners out, each as the contract ends it. */
describe('who gets into whose account', () => {
  const recoveries = {
    reset: ({ world, owner }) => expect(world.recover(owner, 'e@x.org', 'own-2')).toBe(200),
    'change-password': ({ world, owner }) => {
      const given = { access: owner.access.at(-1), password: 'own-1', next: 'own-2' }
      owner.passwords.add('own-2')
      expect(world.do('change-password', given).status).toBe(200)
    },
    'logout-all': ({ world, owner }) =>
      expect(world.do('logout-all', { access: owner.access.at(-1) }).status).toBe(204),
    'end-sessions': ({ world }) => expect(world.do('user end-sessions', { user: 'alice' }).status).toBe(0),
    'deactivate and activate': ({ world }) => {
      expect(world.do('user deactivate', { user: 'alice' }).status).toBe(0)
      expect(world.do('user activate', { user: 'alice' }).status).toBe(0)
    },
    'reset-link': ({ world, owner }) => {
      const { made } = world.do('user reset-link', { user: 'alice' })
      owner.passwords.add('own-2')
      expect(world.do('reset', { token: made.token, password: 'own-2' }).status).toBe(200)
    },
  } satisfies Record<string, (given: ReturnType<typeof robbed>) => void>

  test.each(Object.entries(recoveries))('1: a request of a thief ends with %s', (_name, recover) => {
    const given = robbed()
    const { world, owner, thief } = given
    expect(world.put(thief, 'evil@x.org')).toBe(200)
    recover(given)
    world.do('resend', { email: 'evil@x.org' })
    expect(world.verify(thief)).toBe(400)
    expect(world.user('alice').email).toBe('e@x.org')
    expect(world.waysIn(thief, 'alice')).toEqual([])
    expect(world.waysIn(owner, 'alice')).toContain('mailbox')
  })

  test('2: a change can be undone for seven days from its confirmation, and only then', () => {
    const { world, owner, thief } = robbed()
    expect(world.put(thief, 'evil@x.org')).toBe(200)
    expect(world.verify(thief)).toBe(200)
    world.pass(days(7) - 1)
    expect(world.waysIn(owner, 'alice')).toContain('undo')
    expect(world.undo(owner)).toBe(200)
    expect(world.reset(owner, 'own-2')).toBe(200)
    expect(world.waysIn(thief, 'alice')).toEqual([])
  })

  test('2: a request ends with its token', () => {
    const { world, thief } = robbed()
    world.put(thief, 'evil@x.org')
    world.pass(61)
    expect(world.verify(thief)).toBe(400)
    expect(world.user('alice').email).toBe('e@x.org')
  })

  test('3: an undo makes the password of the thief unusable', () => {
    const { world, owner, thief } = robbed()
    world.put(thief, 'evil@x.org')
    world.verify(thief)
    expect(world.recover(thief, 'evil@x.org', 'evil-1')).toBe(200)
    expect(world.waysIn(thief, 'alice')).toContain('password')
    expect(world.undo(owner)).toBe(200)
    expect(world.login(thief, 'alice')).toBe(false)
    expect(world.waysIn(thief, 'alice')).toEqual([])
    expect(world.reset(owner, 'own-2')).toBe(200)
    expect(world.login(owner, 'alice')).toBe(true)
  })

  test('4: a parked address takes nothing from its owner', () => {
    const world = new World('b')
    const attacker = world.join('a@x.org')
    const victim = world.join('v@x.org')
    world.register(attacker, 'mallory', 'a@x.org', 'evil-1')
    world.verify(attacker)
    world.login(attacker, 'mallory')
    expect(world.put(attacker, 'v@x.org')).toBe(200)
    // The victim has no session of the attacker's account, so their click joins nothing.
    expect(world.verify(victim)).toBe(401)
    expect(world.register(victim, 'victor', 'v@x.org', 'own-1')).toBe(201)
    expect(world.verify(victim)).toBe(200)
    expect(
      world.do('verify', { token: world.token(victim, 'to verify'), access: attacker.access.at(-1) }).status,
    ).toBe(400)
    expect(world.undo(attacker)).toBe(400)
    expect(world.waysIn(attacker, 'victor')).toEqual([])
  })

  test('5: no address stays blocked', () => {
    const { world, thief } = robbed()
    const stranger = world.join('s@x.org')
    world.put(thief, 's@x.org')
    expect(world.register(stranger, 'sam', 's@x.org', 'own-9')).toBe(201)
    const former = robbed()
    former.world.put(former.thief, 'evil@x.org')
    former.world.verify(former.thief)
    const newcomer = former.world.join()
    expect(former.world.register(newcomer, 'nina', 'e@x.org', 'own-8')).toBe(409)
    former.world.pass(days(7) + 1)
    expect(former.world.register(newcomer, 'nina', 'e@x.org', 'own-8')).toBe(201)
  })

  test('6: a mistyped change locks no one out', () => {
    const { world, owner } = robbed()
    expect(world.put(owner, 'typo@x.org')).toBe(200)
    const login = { login: 'alice', password: 'own-1', isStrict: true }
    expect(world.do('login', login).status).toBe(200)
    expect(world.do('login', { ...login, login: 'e@x.org' }).status).toBe(200)
  })

  test('7: a user who never verified is not reset by an address that they asked for', () => {
    const world = new World('b')
    const owner = world.join('e@x.org')
    const stranger = world.join('typo@x.org')
    world.register(owner, 'alice', 'e@x.org', 'own-1')
    world.login(owner, 'alice')
    expect(world.put(owner, 'typo@x.org')).toBe(200)
    world.do('forgot', { email: 'typo@x.org' })
    expect(world.token(stranger, 'reset')).toBe('')
    expect(world.verify(stranger)).toBe(401)
    expect(world.waysIn(stranger, 'alice')).toEqual([])
  })

  test('8: a session of a user who is not verified reaches little where that is required', () => {
    const world = new World('b')
    const owner = world.join('e@x.org')
    world.register(owner, 'alice', 'e@x.org', 'own-1')
    world.login(owner, 'alice')
    const access = owner.access.at(-1)
    expect(world.do('me', { access, isStrict: true }).status).toBe(200)
    expect(world.do('end-devices', { access, isStrict: true })).toMatchObject({
      status: 403,
      code: 'user_not_verified',
    })
    expect(world.do('delete', { access, password: 'own-1', isStrict: true }).status).toBe(403)
  })
})
