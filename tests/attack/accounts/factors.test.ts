import { describe, expect, test } from 'vitest'
import { type Person, World } from './people.js'
import {
  addAccount,
  addApp,
  addDevice,
  keep,
  logIn,
  logInByDevice,
  logInByEmail,
  logInByProvider,
  recover,
  removeAll,
} from './proving.js'
import { type Random, randomFrom } from './random.js'

const walks = 40
const all = { totp: true, passkeys: true, emailLogin: true, cookies: true, oidc: true }
const elsewhere = '203.0.113.9'
const days = (count: number) => count * 24 * 60

type Move = (world: World, thief: Person, random: Random) => unknown
type Overlook = World['service']['overlook']
type Fault = World['service']['fault']
interface Defect {
  overlook?: Overlook
  fault?: Fault
}

/** What a thief does with all that they know. */
const moves: Move[] = [
  (world, thief) => logIn(world, thief, 'alice', elsewhere),
  (world, thief) => logIn(world, thief, 'alice', elsewhere),
  (world, thief) => logInByDevice(world, thief),
  (world, thief) => logInByEmail(world, thief, 'e@x.org', elsewhere),
  (world, thief) => addApp(world, thief),
  (world, thief, random) => addDevice(world, thief, `evil ${random.below(9)}`),
  (world, thief, random) => addAccount(world, thief, `evil ${random.below(3)}`),
  (world, thief) => logInByProvider(world, thief, elsewhere),
  (world, thief) => removeAll(world, thief, 'alice'),
  (world, thief) => world.do('recovery-codes', { access: thief.access.at(-1), client: elsewhere }),
  (world, thief) => {
    const { made, code } = world.do('login', { login: 'alice', password: [...thief.passwords][0] })
    if (code !== 'mfa_required') return
    const given = { mfa: made.mfa_token, client: elsewhere }
    keep(thief, world.do('mfa-login', { ...given, recovery: '00000-00000' }))
    for (let guess = 0; guess < 5; guess += 1)
      keep(thief, world.do('mfa-login', { ...given, code: `00000${guess}` }))
  },
  (world, thief, random) =>
    world.put(thief, random.one(['evil@x.org', 'evil2@x.org']) ?? '', [...thief.passwords][0]),
  (world, thief) => world.verify(thief),
  (world, thief, random) => {
    const password = `evil-${random.below(3)}`
    const [address] = [...thief.mailboxes].slice(random.below(thief.mailboxes.size))
    if (recover(world, thief, address ?? '', password)) thief.passwords.add(password)
  },
  (world, thief) => world.do('undo-additions', { token: world.token(thief, 'reset') }),
  (world, thief) => world.do('logout-all', { access: thief.access.at(-1) }),
  (world, _thief, random) => world.pass(random.one([1, 3, 20]) ?? 1),
]

/** What an owner does who has noticed nothing. */
const daily: Move[] = [
  (world, owner) => logIn(world, owner, 'alice'),
  (world, owner) => logInByDevice(world, owner),
  (world) => world.pass(1),
]

const stateOf = (world: World) => {
  const { totp, passkeys, identities } = world.user('alice').factors
  return [
    totp?.secret,
    ...passkeys.map(({ device }) => device),
    ...identities.map(({ subject }) => subject),
  ].join()
}

/** A verified owner, with an app and perhaps a device. */
function owned(random: Random, defect: Defect, hasApp = true) {
  const world = new World(random.chance(0.5) ? 'a' : 'b', all)
  const owner = world.join('e@x.org')
  world.register(owner, 'alice', 'e@x.org', 'own-1')
  world.verify(owner)
  logIn(world, owner, 'alice')
  if (hasApp) expect(addApp(world, owner)).toBe(true)
  world.pass(1)
  if (random.chance(0.5)) expect(addDevice(world, owner, 'own device')).toBe(true)
  if (random.chance(0.5)) expect(addAccount(world, owner, 'own account')).toBe(true)
  world.service.overlook = defect.overlook ?? (() => {})
  world.service.fault = defect.fault ?? (() => {})
  return { world, owner, thief: world.join('evil@x.org', 'evil2@x.org') }
}

type Given = ReturnType<typeof owned> & { random: Random }

function walk(
  prepare: (random: Random) => ReturnType<typeof owned>,
  check: (given: Given) => void,
  after?: typeof check,
) {
  for (let seed = 0; seed < walks; seed += 1) {
    const random = randomFrom(seed)
    const given = { ...prepare(random), random }
    try {
      for (let step = 5 + random.below(20); step > 0; step -= 1) {
        const isOwn = random.chance(0.25)
        random.one(isOwn ? daily : moves)?.(given.world, isOwn ? given.owner : given.thief, random)
        check(given)
      }
      after?.(given)
    } catch (error) {
      throw new Error(`walk ${seed}: ${(error as Error).message}`, { cause: error })
    }
  }
}

/** Someone's way in that nobody can take: their app, a recovery code or their device. */
const isIn = ({ world, owner }: Given) => {
  world.pass(2)
  return logIn(world, owner, 'alice') || logInByDevice(world, owner)
}

/** Of the password, and perhaps of the owner's account at the provider. */
function thiefOfPassword(defect: Defect = {}) {
  let before = ''
  walk(
    (random) => {
      const given = owned(random, defect)
      given.thief.passwords.add('own-1')
      if (random.chance(0.5)) given.thief.subjects.add('own account')
      before = stateOf(given.world)
      return given
    },
    ({ world, thief }) => {
      expect(thief.access).toEqual([])
      expect(stateOf(world)).toBe(before)
    },
    (given) => expect(isIn(given)).toBe(true),
  )
}

function thiefOfToken(defect: Defect = {}) {
  let before = ''
  walk(
    (random) => {
      const given = owned(random, defect)
      // Until then, a fresh session moves the address, and a reset there takes back what is new.
      given.world.pass(days(8))
      logIn(given.world, given.owner, 'alice')
      if (random.chance(0.5)) given.thief.passwords.add('own-1')
      given.thief.access.push(given.owner.access.at(-1) ?? '')
      before = stateOf(given.world)
      return given
    },
    ({ world }) => expect(stateOf(world)).toBe(before),
    ({ world, owner, thief }) => {
      if (world.user('alice').email !== 'e@x.org') expect(world.undo(owner, 'e@x.org')).toBe(200)
      world.pass(31)
      expect(recover(world, owner, 'e@x.org', 'own-2')).toBe(true)
      expect(logIn(world, owner, 'alice')).toBe(true)
      expect(world.waysIn(thief, 'alice')).toEqual([])
    },
  )
}

function thiefOfMailbox(hasApp: boolean, defect: Defect = {}) {
  walk(
    (random) => {
      const given = owned(random, defect, hasApp)
      // What is older is kept, whoever reads the mailbox.
      if (hasApp) given.world.pass(days(8))
      const { owner, thief } = given
      thief.mailboxes.add('e@x.org')
      if (random.chance(0.5)) thief.passwords.add('own-1')
      if (random.chance(0.5)) logIn(given.world, owner, 'alice')
      if (random.chance(0.5)) thief.access.push(owner.access.at(-1) ?? '')
      return given
    },
    ({ world, owner, thief }) => {
      if (!hasApp) return
      expect(thief.access.filter((token) => !owner.access.includes(token))).toEqual([])
      const { totp, passkeys, identities } = world.user('alice').factors
      expect(owner.apps.has(totp?.secret ?? '')).toBe(true)
      expect(passkeys.some(({ device }) => thief.devices.has(device))).toBe(false)
      expect(identities.some(({ subject }) => thief.subjects.has(subject))).toBe(false)
    },
    (given) => {
      const { world, owner, thief } = given
      thief.mailboxes.delete('e@x.org')
      world.pass(31)
      // Whatever they did with the tokens that they read: a newer one of each is the owner's.
      world.do('forgot', { email: 'e@x.org' })
      if (world.user('alice').email !== 'e@x.org') expect(world.undo(owner, 'e@x.org')).toBe(200)
      expect(recover(world, owner, 'e@x.org', 'own-2')).toBe(true)
      expect(isIn(given)).toBe(true)
      expect(world.waysIn(thief, 'alice')).toEqual([])
    },
  )
}

describe('what a thief gets of a user with a second factor', () => {
  test('with the password, and perhaps the account at the provider: no session, no factor', () =>
    thiefOfPassword())
  test('with a stolen token, and perhaps the password: no factor', () => thiefOfToken())
  test('with the mailbox for some minutes: not past the app of a user', () => thiefOfMailbox(true))
  test('with the mailbox for some minutes: nothing that a reset does not take back', () =>
    thiefOfMailbox(false))
})

const hide =
  (
    type: string,
    change: (seen: Parameters<Overlook>[0], action: Parameters<Overlook>[1]) => void,
  ): Overlook =>
  (seen, action) => {
    if (action.type === type) change(seen, action)
  }

/** Puts back what was overlooked. */
const restore: Fault = ({ users }, _action, before) => {
  for (const user of users) {
    const former = before.users.find(({ key }) => key === user.key)
    const { totp, codes } = former?.factors ?? user.factors
    if (totp && !user.factors.totp) Object.assign(user.factors, { totp, codes })
  }
}

const withoutApp: Parameters<typeof hide>[1] = ({ users }) => {
  for (const { factors } of users) factors.totp = null
}

/** Defects of a service, with the thief who finds them. */
const defects: Record<string, () => void> = {
  'a session before the second factor': () =>
    thiefOfPassword({ overlook: hide('login', withoutApp), fault: restore }),
  'a login by email before the second factor': () =>
    thiefOfMailbox(true, { overlook: hide('email-login', withoutApp), fault: restore }),
  'a sign-in with the provider before the second factor': () =>
    thiefOfPassword({ overlook: hide('provider-exchange', withoutApp), fault: restore }),
  'an account at the provider without a code': () =>
    thiefOfMailbox(true, {
      overlook: (seen, action) => {
        if (/^provider-/.test(action.type)) withoutApp(seen, action)
      },
      fault: restore,
    }),
  'a recovery code of another user': () =>
    thiefOfPassword({
      overlook: hide('mfa-login', ({ users }, { recovery }) => {
        for (const { factors } of users) factors.codes.push({ text: recovery, createdAt: 0 })
      }),
    }),
  'a passkey without a code': () =>
    thiefOfMailbox(true, {
      overlook: hide('passkey-options', withoutApp),
      fault: restore,
    }),
  'an app that goes without a code': () =>
    thiefOfToken({
      overlook: hide('totp-disable', ({ sessions }) => {
        for (const session of sessions) session.isByRecovery = true
      }),
    }),
  'additions that the token of a reset leaves': () =>
    thiefOfMailbox(false, {
      fault: (after, action, before) => {
        if (action.type !== 'undo-additions') return
        for (const user of after.users)
          user.factors = before.users.find(({ key }) => key === user.key)?.factors ?? user.factors
      },
    }),
}

test.each(Object.entries(defects))('%s is found', (_name, find) => {
  expect(find).toThrow(/walk \d+/)
})
