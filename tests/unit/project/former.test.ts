import { describe, expect, it } from 'vitest'
import { accountsIn, type State } from '../../../src/answers/variant.ts'
import { type Former, formerAfter, formerForgotten } from '../../../src/project/former.ts'

const now = Date.UTC(2026, 0, 1)
const inAWeek = '2026-01-08T00:00:00.000Z'
const earlier = '2025-12-24T00:00:00.000Z'

/** What the manifest says after each state of a project that a week lies between, first to last. */
function formersOf(...states: State[]) {
  let former: Former | null | undefined
  return states.map((state, index) => {
    if (index === 0) return undefined
    former = formerAfter({ former, history: states.slice(0, index) }, accountsIn(state), now)
    return former?.profile
  })
}

describe('the former profile', () => {
  it.each<[State[], (string | undefined)[]]>([
    [
      ['none', 'basic-a', 'complete-a', 'none', 'basic-a'],
      [undefined, undefined, undefined, undefined, undefined],
    ],
    [
      ['complete-a', 'complete-b', 'basic-b', 'complete-b'],
      [undefined, 'A', 'A', 'A'],
    ],
    [
      ['basic-a', 'basic-b', 'basic-a'],
      [undefined, 'A', 'B'],
    ],
    [
      ['basic-a', 'none', 'basic-b'],
      [undefined, undefined, 'A'],
    ],
    [
      ['basic-a', 'basic-b', 'none', 'complete-b', 'none', 'complete-a'],
      [undefined, 'A', 'A', 'A', 'A', 'B'],
    ],
  ])('follows from the history: %j', (states, formers) => {
    expect(formersOf(...states)).toEqual(formers)
  })

  it('is accepted for a week after the switch, which later updates do not extend', () => {
    const history: State[] = ['basic-a']
    expect(formerAfter({ history }, accountsIn('basic-b'), now)).toEqual({ profile: 'A', until: inAWeek })
    const former = { profile: 'A', until: earlier } as const
    const past = { former, history: ['basic-a', 'basic-b'] as State[] }
    for (const to of ['basic-b', 'complete-b', 'none'] as const)
      expect(formerAfter(past, accountsIn(to), now)).toEqual(former)
    expect(formerAfter(past, accountsIn('basic-a'), now)).toEqual({ profile: 'B', until: inAWeek })
  })

  it('stays forgotten, until the profile is switched again', () => {
    const history: State[] = ['basic-a', 'basic-b']
    expect(formerForgotten({ former: { profile: 'A', until: inAWeek }, history })).toBeNull()
    const past = { former: null, history }
    expect(formerForgotten(past)).toBeNull()
    for (const to of ['basic-b', 'complete-b', 'none'] as const)
      expect(formerAfter(past, accountsIn(to), now)).toBeNull()
    expect(formerAfter(past, accountsIn('basic-a'), now)).toEqual({ profile: 'B', until: inAWeek })
  })

  it('cannot be forgotten in a project that never switched', () => {
    expect(formerForgotten({ history: ['none', 'basic-a'] })).toBeUndefined()
  })
})
