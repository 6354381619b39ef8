import { describe, expect, test } from 'vitest'
import { noAddOns } from './model/state.js'
import { World } from './people.js'
import { addAccount, addApp, logIn, logInByProvider, recover, registerByProvider } from './proving.js'

const addOns = { ...noAddOns, totp: true, oidc: true }
const days = (count: number) => count * 24 * 60

/** A verified owner with a password, logged in. */
function owned() {
  const world = new World('b', addOns)
  const owner = world.join('e@x.org')
  const thief = world.join('evil@x.org')
  world.register(owner, 'alice', 'e@x.org', 'own-1')
  world.verify(owner)
  logIn(world, owner, 'alice')
  return { world, owner, thief }
}

describe('what a thief gets by an account at the provider', () => {
  test('18: ten minutes in the mailbox add an account, which the owner takes back', () => {
    const { world, owner, thief } = owned()
    thief.mailboxes.add('e@x.org')
    expect(recover(world, thief, 'e@x.org', 'evil-1')).toBe(true)
    expect(logIn(world, thief, 'alice')).toBe(true)
    expect(addAccount(world, thief, 'evil account')).toBe(true)
    thief.mailboxes.delete('e@x.org')
    expect(world.waysIn(thief, 'alice')).toContain('identity')
    world.pass(days(6))
    expect(recover(world, owner, 'e@x.org', 'own-2')).toBe(true)
    expect(logIn(world, owner, 'alice')).toBe(true)
    expect(logInByProvider(world, thief)).toBe(false)
    expect(world.waysIn(thief, 'alice')).toEqual([])
  })

  test('19: a stolen fresh token adds none', () => {
    const { world, owner, thief } = owned()
    thief.access.push(owner.access.at(-1) ?? '')
    expect(addAccount(world, thief, 'evil account')).toBe(false)
    expect(world.user('alice').factors.identities).toEqual([])
  })

  test('20: a stolen fresh token moves the address and adds one there: the undo takes both back', () => {
    const { world, owner, thief } = owned()
    thief.access.push(owner.access.at(-1) ?? '')
    world.put(thief, 'evil@x.org')
    expect(world.verify(thief)).toBe(200)
    expect(addAccount(world, thief, 'evil account')).toBe(true)
    expect(world.undo(owner)).toBe(200)
    expect(world.waysIn(thief, 'alice')).toEqual([])
    expect(world.reset(owner, 'own-2')).toBe(200)
  })

  test.each([false, true])(
    '21: the address of a stranger is never linked, verified there: %s',
    (verified) => {
      const { world, thief } = owned()
      const about = { email: 'E@x.org', verified, isTrusting: true }
      expect(registerByProvider(world, thief, 'evil', about)).toBe(false)
      expect(world.waysIn(thief, 'alice')).toEqual([])
    },
  )

  test('22: whoever came first with the address of a stranger, and no proof of it, keeps nothing', () => {
    const world = new World('b', addOns)
    const thief = world.join('evil@x.org')
    const victim = world.join('v@x.org')
    const about = { email: 'v@x.org', verified: 'true', isTrusting: true }
    expect(registerByProvider(world, thief, 'mallory', about)).toBe(true)
    // The click of the victim alone does not verify it for the thief.
    expect(world.verify(victim)).toBe(401)
    expect(addAccount(world, thief, 'evil account')).toBe(false)
    expect(world.recover(victim, 'v@x.org', 'own-1')).toBe(200)
    expect(logInByProvider(world, thief)).toBe(false)
    expect(world.waysIn(thief, 'mallory')).toEqual([])
    expect(logIn(world, victim, 'mallory')).toBe(true)
  })

  test('23: a link that somebody else opens adds nothing for whoever has its code', () => {
    const { world, owner, thief } = owned()
    const asked = { access: owner.access.at(-1), verifier: 'of the owner' }
    world.do('provider-link', asked)
    const { made } = world.do('provider-link', { ...asked, emailed: world.token(owner, 'emailed') })
    const { made: back } = world.do('provider-link-visit', { link: made.link, subject: 'evil account' })
    const code = { oneTime: back.provider_code, verifier: 'of the owner' }
    expect(registerByProvider(world, thief, 'mallory', { email: 'evil@x.org' })).toBe(true)
    expect(world.do('provider-exchange', { ...code, access: thief.access.at(-1) }).status).toBe(401)
    expect(world.do('provider-exchange', code).status).toBeGreaterThanOrEqual(400)
    expect(world.user('alice').factors.identities).toEqual([])
    expect(world.waysIn(thief, 'alice')).toEqual([])
  })

  test('24: the account at the provider is not past an app', () => {
    const { world, owner, thief } = owned()
    expect(addAccount(world, owner, 'own account')).toBe(true)
    expect(addApp(world, owner)).toBe(true)
    thief.subjects.add('own account')
    expect(logInByProvider(world, thief)).toBe(false)
    expect(world.waysIn(thief, 'alice')).toEqual([])
    world.pass(1)
    expect(logInByProvider(world, owner)).toBe(true)
  })

  test('25: an owner without a password keeps their last account', () => {
    const world = new World('b', addOns)
    const owner = world.join('e@x.org')
    const about = { email: 'e@x.org', verified: true, isTrusting: true }
    expect(registerByProvider(world, owner, 'alice', about)).toBe(true)
    const access = owner.access.at(-1)
    world.do('identities', { access })
    const id = world.user('alice').factors.identities[0]?.id
    expect(world.do('identity-remove', { access, id }).code).toBe('last_sign_in_method')
    expect(addAccount(world, owner, 'another account')).toBe(true)
    world.do('identity-remove', { access, id })
    const emailed = world.token(owner, 'emailed')
    expect(world.do('identity-remove', { access, id, emailed }).status).toBe(204)
    expect(logInByProvider(world, owner)).toBe(true)
  })
})
