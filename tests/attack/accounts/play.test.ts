import { expect, test } from 'vitest'
import { FakeService } from './fake-service.js'
import type { State } from './model/state.js'
import type { Action } from './model/step.js'
import { length, play } from './play.js'
import { randomFrom } from './random.js'

type Fault = FakeService['fault']

/** Plays sequences against a service that does what the model says, except for a fault. */
async function playAll(
  sequences: number,
  fault: Fault = () => {},
  onCall = (_action: Action, _after: State) => {},
) {
  for (let seed = 0; seed < sequences; seed += 1) {
    let time = Date.parse('2026-01-01T12:00:00.250Z')
    const advance = (seconds: number) => {
      time += seconds * 1000 + 1
    }
    const clock = { now: () => time, advance }
    const profile = seed % 2 === 0 ? 'b' : 'a'
    const service = new FakeService(profile, clock.now, randomFrom(seed).below)
    service.fault = (after, action, before) => {
      onCall(action, after)
      fault(after, action, before)
    }
    const indexes = Array.from({ length }, (_, index) => index)
    await play(
      { instances: service, clock, profile, strict: [false, seed % 3 === 0] },
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
  await playAll(8, undefined, ({ type }, { tokens, now }) => {
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
  await expect(playAll(12, fault)).rejects.toThrow(/The model expects|The emails differ/)
})
