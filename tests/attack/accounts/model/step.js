import { isDeepStrictEqual } from 'node:util'
import { api } from './api.js'
import { operator } from './commands.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./access.js').Answer} Answer */

/**
 * A step of a sequence: one call as it is sent. `isStrict` and `instance` say who handles it.
 * @typedef {{ type: string, isStrict?: boolean, instance?: number, [field: string]: any }} Action
 */

/** @typedef {{ answer: Answer, state: State }} Outcome */

/** @type {Record<string, import('./api.js').Rule>} */
export const rules = { ...api, ...operator }

/**
 * What may follow an action: one outcome, or one for each choice that the contract leaves.
 * @param {State} before stays as it is
 * @param {Action} action
 * @returns {Outcome[]}
 */
export function step(before, action) {
  const rule = rules[action.type]
  if (!rule) throw new Error(`The model has no rule for ${action.type}`)
  /** @type {Outcome[]} */
  const outcomes = []
  /** @type {boolean[][]} */
  const open = [[]]
  for (let chosen = open.pop(); chosen; chosen = open.pop()) {
    const given = chosen
    /** @type {boolean[]} */
    const made = []
    const either = () => {
      const choice = given[made.length] ?? false
      if (made.length >= given.length) open.push([...made, true])
      made.push(choice)
      return choice
    }
    const state = structuredClone(before)
    outcomes.push({ answer: rule(state, action, { either, isStrict: action.isStrict ?? false }), state })
  }
  return outcomes
}

/**
 * What may follow two actions at the same moment, as if either was first.
 * @param {State} before
 * @param {[Action, Action]} actions
 * @returns {{ answers: [Answer, Answer], state: State }[]}
 */
export function race(before, [one, other]) {
  /** @param {Action} first @param {Action} second */
  const inOrder = (first, second) =>
    step(before, first).flatMap((outcome) =>
      step(outcome.state, second).map(({ answer, state }) => ({
        first: outcome.answer,
        second: answer,
        state,
      })),
    )
  return [
    ...inOrder(one, other).map(({ first, second, state }) => ({ answers: pair(first, second), state })),
    ...inOrder(other, one).map(({ first, second, state }) => ({ answers: pair(second, first), state })),
  ]
}

/** @param {Answer} one @param {Answer} other @returns {[Answer, Answer]} */
const pair = (one, other) => [one, other]

/**
 * @param {Answer} expected
 * @param {{ status: number, body: any }} actual
 * @returns whether the service answered as expected
 */
export const isSameAnswer = ({ status, code, body }, actual) =>
  status === actual.status &&
  (code === undefined || code === actual.body?.code) &&
  Object.entries(body ?? {}).every(([name, value]) => isDeepStrictEqual(actual.body?.[name], value))
