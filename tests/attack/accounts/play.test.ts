import { expect, test } from 'vitest'
import { FakeService } from './fake-service.js'
import { noAddOns, type State } from './model/state.js'
import type { Action } from './model/step.js'
import { length, play } from './play.js'
import { randomFrom } from './random.js'

type Fault = FakeService['fault']

/** Plays sequences, by their number, against a service that does what the model says, except for a fault. */
async function playAll(
  [first, last]: [number, number],
  fault: Fault = () => {},
  onCall = (_action: Action, _after: State) => {},
  addOns = noAddOns,
) {
  for (let seed = first; seed <= last; seed += 1) {
    let time = Date.parse('2026-01-01T12:00:00.250Z')
    const advance = (seconds: number) => {
      time += seconds * 1000 + 1
    }
    const clock = { now: () => time, advance }
    const profile = seed % 2 === 0 ? 'b' : 'a'
    // About factors, the contract leaves so much open that a service without a habit is explained in too many ways.
    const choose = addOns.totp ? () => 0 : randomFrom(seed).below
    const service = new FakeService(profile, clock.now, choose, addOns)
    service.fault = (after, action, before) => {
      onCall(action, after)
      fault(after, action, before)
    }
    const indexes = Array.from({ length }, (_, index) => index)
    await play(
      { instances: service, clock, profile, strict: [false, seed % 3 === 0], addOns },
      { seed, indexes, prefix: `s${seed}x` },
    )
  }
}

test('a service that does what the model says is explained, in states as deep as those of the thefts', async () => {
  const seen: Record<string, number> = {}
  const count = (what: string) => {
    seen[what] = (seen[what] ?? 0) + 1
  }
  let undoTokens = 0
  await playAll([0, 7], undefined, ({ type }, { tokens, now }) => {
    const live = tokens.filter(({ kind, isVoid, expiresAt }) => kind === 'undo' && !isVoid && expiresAt > now)
    if (type === 'verify' && live.length > undoTokens) count(`a change with ${live.length} ways back`)
    if (type === 'undo' && live.length < undoTokens) count('an undo')
    if (type === 'verify' && live.length < undoTokens) count('a change back')
    undoTokens = live.length
  })
  expect(Object.keys(seen).sort()).toEqual(
    expect.arrayContaining(['a change back', 'a change with 2 ways back', 'an undo']),
  )
})

/** Keeps what an action of a type should have ended. */
const keeping =
  (type: string, keep: (after: State, before: State, action: Action) => void): Fault =>
  (after, action, before) => {
    if (action.type === type) keep(after, before, action)
  }

/** Tokens of a kind work as they did before. */
const keepTokens = (kind: string) => (after: State, before: State, action: Action) => {
  for (const token of after.tokens) {
    const former = before.tokens.find(({ key }) => key === token.key)
    if (former && token.kind === kind && token.text !== action.token) token.isVoid = former.isVoid
  }
}

const keepRequest = (after: State, before: State, action: Action) => {
  for (const user of after.users)
    user.request ??= before.users.find(({ key }) => key === user.key)?.request ?? null
  keepTokens('change')(after, before, action)
}

/** What a naive build does wrong. */
const faults: Record<string, Fault> = {
  'a request that the end of other devices leaves': keeping('end-devices', keepRequest),
  'an undo that leaves the password': keeping('undo', (after, before) => {
    for (const user of after.users)
      user.password ??= before.users.find(({ key }) => key === user.key)?.password ?? null
  }),
  'an undo token that a reset ends': keeping('reset', ({ tokens, users }, _before, { password }) => {
    const user = users.find((each) => each.password === password)
    for (const token of tokens) if (token.kind === 'undo' && token.user === user?.key) token.isVoid = true
  }),
  'a change back that leaves the sessions': keeping('verify', (after, before) => {
    const liveUndos = ({ tokens, now }: State) =>
      tokens.filter(({ kind, isVoid, expiresAt }) => kind === 'undo' && !isVoid && expiresAt > now).length
    if (liveUndos(after) < liveUndos(before)) after.sessions = structuredClone(before.sessions)
  }),
  'a reset that logging out everywhere leaves': keeping('logout-all', keepTokens('reset')),
  'an undo email that is not sent again': keeping('forgot', (after) => {
    const isFormer = (address: string) =>
      after.tokens.some(({ kind, email, isVoid }) => kind === 'undo' && email === address && !isVoid)
    after.waiting = after.waiting.filter(({ email }) => !isFormer(email))
  }),
  'an undo token that outlives the newer email of it': keeping('read-emails', keepTokens('undo')),
  'a deleted name that is free': keeping('delete', (after) => {
    after.formerNames = []
  }),
}

test.each(Object.entries(faults))('%s is noticed', async (_name, fault) => {
  await expect(playAll([0, 11], fault)).rejects.toThrow(/The model expects|The emails differ/)
})

const both = { ...noAddOns, totp: true, passkeys: true }

/** What a naive build of logins by email does wrong. */
const loginFaults: Record<string, Fault> = {
  'an emailed login that works twice': keeping('email-login', ({ tokens }, before, { token: text }) => {
    const former = before.tokens.find((token) => token.text === text)
    for (const token of tokens) if (token.key === former?.key) token.isVoid = former.isVoid
  }),
  'an emailed login that a reset leaves': keeping('reset', keepTokens('login')),
  'a password that the first proof of the address leaves': keeping('email-login', (after, before) => {
    for (const user of after.users)
      user.password ??= before.users.find(({ key }) => key === user.key)?.password ?? null
  }),
}

test.each(Object.entries(loginFaults))('%s is noticed', async (_name, fault) => {
  await expect(
    playAll([0, 9], fault, undefined, { ...noAddOns, emailLogin: true, cookies: true }),
  ).rejects.toThrow(/The model expects|The emails differ/)
})

test('second factors and passkeys are explained, in every way in which a login goes on', async () => {
  const seen = new Set<string>()
  const note = ({ type, ...given }: Action, after: State, before: State) => {
    const isSession = after.sessions.length > before.sessions.length
    const how = ['code', 'recovery', 'device'].find((field) => field in given)
    if (/^(mfa-login|passkey-login)$/.test(type) && isSession) seen.add(`${type} by ${how}`)
    const count = ({ users }: State) =>
      users.reduce((sum, { factors }) => sum + Number(factors.totp !== null) + factors.passkeys.length, 0)
    if (count(after) < count(before)) seen.add(`less by ${type}`)
  }
  await playAll([13, 15], (after, action, before) => note(action, after, before), undefined, both)
  expect([...seen].sort()).toEqual(
    expect.arrayContaining([
      'less by passkey-remove',
      'less by totp-disable',
      'less by undo-additions',
      'mfa-login by code',
      'mfa-login by device',
      'mfa-login by recovery',
      'passkey-login by device',
    ]),
  )
})

/** Tokens work as before. */
const keepSignIn =
  (kind: string) =>
  ({ signInTokens }: State, before: State) => {
    for (const token of signInTokens)
      if (token.kind === kind)
        token.isVoid = before.signInTokens.find(({ key }) => key === token.key)?.isVoid ?? token.isVoid
  }

const keepFactors = (after: State, before: State) => {
  for (const user of after.users)
    user.factors = before.users.find(({ key }) => key === user.key)?.factors ?? user.factors
}

/** What a naive build of the second factors does wrong. */
const factorFaults: Record<string, Fault> = {
  'a code that works twice': keeping('mfa-login', ({ users }) => {
    for (const { factors } of users) if (factors.totp) factors.totp.lastStep = 0
  }),
  'a recovery code that works twice': keeping('mfa-login', keepFactors),
  'a pending login that works twice': keeping('mfa-login', keepSignIn('login')),
  'a challenge that works twice': keeping('passkey-login', keepSignIn('challenge')),
  'an emailed token that works twice': keeping('passkey-add', keepSignIn('emailed')),
  'an undo that leaves what is new': keeping('undo-additions', keepFactors),
  'a confirmation that leaves the other sessions': keeping('totp-confirm', (after, before) => {
    for (const session of after.sessions)
      session.isEnded = before.sessions.find(({ key }) => key === session.key)?.isEnded ?? false
  }),
}

test.each(Object.entries(factorFaults))('%s is noticed', async (_name, fault) => {
  await expect(playAll([25, 34], fault, undefined, both)).rejects.toThrow(
    /The model expects|The emails differ/,
  )
})

const withProvider = { ...noAddOns, totp: true, oidc: true }

test('accounts at a provider are explained, from the first sign-in to the last', async () => {
  const seen = new Set<string>()
  const count = ({ users }: State) => users.reduce((sum, { factors }) => sum + factors.identities.length, 0)
  const note = ({ type }: Action, after: State, before: State) => {
    if (type === 'provider-exchange' && after.sessions.length > before.sessions.length) seen.add('in')
    if (count(after) !== count(before))
      seen.add(`${count(after) > count(before) ? 'more' : 'less'} by ${type}`)
  }
  await playAll([1, 5], (after, action, before) => note(action, after, before), undefined, withProvider)
  expect([...seen].sort()).toEqual(
    expect.arrayContaining([
      'in',
      'less by identity-remove',
      'less by undo-additions',
      'more by provider-exchange',
      'more by provider-visit',
    ]),
  )
})

/** What a naive build of sign-in with providers does wrong. */
const providerFaults: Record<string, Fault> = {
  'a code that works twice': keeping('provider-exchange', keepSignIn('code')),
  'an undo that leaves identities': keeping('undo-additions', keepFactors),
  'a take-over that leaves identities': keeping('reset', keepFactors),
  'an address that counts as verified by another word': keeping('provider-visit', (after, _before, given) => {
    for (const user of after.users) if (given.verified) user.isVerified ||= user.email === given.email
  }),
  'an end of all sessions that leaves codes': (after, { type }, before) => {
    if (/^user (end-sessions|deactivate|password)$/.test(type)) keepSignIn('code')(after, before)
  },
}

test.each(Object.entries(providerFaults))('%s is noticed', async (_name, fault) => {
  await expect(playAll([1, 12], fault, undefined, withProvider)).rejects.toThrow(
    /The model expects|The emails differ/,
  )
})
