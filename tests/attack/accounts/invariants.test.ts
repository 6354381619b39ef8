import { expect, test } from 'vitest'
import { type Person, World } from './people.js'
import { type Random, randomFrom } from './random.js'

const walks = 250

/** What someone does with all that they know, and nothing else. */
const moves: ((world: World, actor: Person, random: Random) => void)[] = [
  (world, actor, random) => void world.put(actor, random.one(addresses) ?? ''),
  (world, actor, random) =>
    void world.put(actor, random.one(addresses) ?? '', random.one([...actor.passwords])),
  (world, actor, random) => {
    const token = random.one(actor.inbox)?.text ?? actor.inbox.at(-1)?.text
    world.do('verify', { token, access: random.one(actor.access) })
  },
  (world, actor) => void world.verify(actor),
  (world, actor) => void world.verify(actor),
  (world, actor, random) => void world.do('undo', { token: random.one(actor.inbox)?.text }),
  (world, actor, random) =>
    void world.recover(actor, random.one([...actor.mailboxes]) ?? '', `evil-${random.below(3)}`),
  (world, actor) => void world.reset(actor, 'evil-4'),
  (world, actor, random) => void world.login(actor, random.one(['alice', ...addresses]) ?? ''),
  (world, actor, random) => {
    const given = {
      access: random.one(actor.access),
      password: random.one([...actor.passwords]),
      next: 'evil-9',
    }
    if (world.do('change-password', given).status === 200) actor.passwords.add('evil-9')
  },
  (world, actor, random) => void world.do('logout-all', { access: random.one(actor.access) }),
  (world, actor, random) =>
    void world.do('delete', { access: random.one(actor.access), password: random.one([...actor.passwords]) }),
  (world, actor, random) =>
    void world.register(actor, `mallory${random.below(9)}`, random.one(addresses) ?? '', 'evil-0'),
  (world, _actor, random) => void world.do('resend', { email: random.one(addresses) }),
  (world, _actor, random) => void world.do('forgot', { email: random.one(addresses) }),
  (world) => void world.do('clean-up'),
  (world, _actor, random) => world.pass(random.one([1, 8, 40, 300]) ?? 1),
]

/** What an owner does who has noticed nothing. */
const daily: typeof moves = [
  (world, owner) => void world.login(owner, 'alice'),
  (world, owner) => void world.put(owner, 'e@x.org', 'own-1'),
  (world, owner) => void world.verify(owner),
  (world, owner) => void world.do('logout-all', { access: owner.access.at(-1) }),
]

const addresses = ['e@x.org', 'evil@x.org', 'evil2@x.org', 'v@x.org']

/** Each walk is one that a thief takes, with its number in the message of a failure. */
function walk<Owner extends Person | undefined>(
  prepare: (world: World, thief: Person) => Owner,
  check: (world: World, thief: Person, owner: Owner) => void,
) {
  for (let seed = 0; seed < walks; seed += 1) {
    const random = randomFrom(seed)
    const world = new World(random.chance(0.5) ? 'a' : 'b')
    const thief = world.join('evil@x.org', 'evil2@x.org')
    const owner = prepare(world, thief)
    const steps = 5 + random.below(25)
    for (let step = 0; step < steps; step += 1)
      if (owner && random.chance(0.3)) random.one(daily)?.(world, owner, random)
      else random.one(moves)?.(world, thief, random)
    try {
      check(world, thief, owner)
    } catch (error) {
      throw new Error(`walk ${seed}`, { cause: error })
    }
  }
}

test('within seven days, the owner of a stolen token gets the account back, and the thief is out', () => {
  let undone = 0
  walk(
    (world, thief) => {
      const owner = world.join('e@x.org')
      world.register(owner, 'alice', 'e@x.org', 'own-1')
      world.verify(owner)
      world.login(owner, 'alice')
      thief.access.push(owner.access.at(-1) ?? '')
      world.put(thief, 'evil@x.org')
      return owner
    },
    (world, thief, owner) => {
      if (world.user('alice').email !== 'e@x.org') {
        expect(world.undo(owner, 'e@x.org')).toBe(200)
        undone += 1
      }
      // What the thief asked for in the owner's name counts for half an hour.
      world.pass(31)
      expect(world.recover(owner, 'e@x.org', 'own-2')).toBe(200)
      expect(world.login(owner, 'alice')).toBe(true)
      expect(world.waysIn(thief, 'alice')).toEqual([])
    },
  )
  // Otherwise the walks would prove nothing.
  expect(undone).toBeGreaterThan(walks / 10)
})

test('whoever never had a session, the password or the mailbox of a user does not get in', () => {
  walk(
    (world) => {
      const victim = world.join('v@x.org')
      world.register(victim, 'victor', 'v@x.org', 'own-1')
      world.verify(victim)
      world.login(victim, 'victor')
      return undefined
    },
    (world, thief) => {
      expect(world.waysIn(thief, 'victor')).toEqual([])
      expect(world.user('victor').email).toBe('v@x.org')
    },
  )
})

test('an address that someone else registered is its reader’s after a reset', () => {
  walk(
    (world, thief) => {
      world.register(thief, 'mallory', 'v@x.org', 'evil-0')
      world.login(thief, 'mallory')
      return undefined
    },
    (world, thief) => {
      const victim = world.join('v@x.org')
      // Meanwhile the thief may have moved or deleted the account, which frees the address.
      const holder = world.state.users.find(({ email }) => email === 'v@x.org')
      if (!holder) return expect(world.register(victim, 'victor', 'v@x.org', 'own-1')).toBe(201)
      expect(world.recover(victim, 'v@x.org', 'own-1')).toBe(200)
      expect(world.waysIn(thief, holder.name)).toEqual([])
    },
  )
})
