import { isDeepStrictEqual } from 'node:util'
import { callerOf } from './access.js'
import { api } from './api.js'
import { operator } from './commands.js'
import { readCookie, setCookie } from './cookies.js'
import { ownerOf } from './identities.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./access.js').Answer} Answer */

/**
 * A step of a sequence: one call as it is sent. `isStrict`, `isTrusting` and `instance` say who handles it.
 * @typedef {{ type: string, isStrict?: boolean, isTrusting?: boolean, instance?: number, [field: string]: any }} Action
 */

/** @typedef {{ answer: Answer, state: State }} Outcome */

/** @type {Record<string, import('./api.js').Rule>} */
const rules = { ...api, ...operator }

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
    const refusal = readCookie(state, action)
    const { isStrict = false, isTrusting = false } = action
    const answer = refusal ?? rule(state, action, { either, isStrict, isTrusting })
    outcomes.push({ answer: setCookie(state, action, answer), state })
  }
  return outcomes
}

/** Lists of answers are compared as sets. @param {unknown} value */
const sorted = (value) => (Array.isArray(value) ? value.toSorted() : value)

/**
 * @param {Answer} expected
 * @param {{ status: number, body: any }} actual
 * @returns whether the service answered as expected
 */
const isSameAnswer = ({ status, code, body }, actual) =>
  status === actual.status &&
  (code === undefined || code === actual.body?.code) &&
  Object.entries(body ?? {}).every(([name, value]) =>
    isDeepStrictEqual(sorted(actual.body?.[name]), sorted(value)),
  )

/**
 * Whether a caller lost their session to what happened at the same moment. They may hear of that first, whatever else
 * would be wrong, or miss what went with it. Or their address changed, which they wanted to keep: they are asked to begin again.
 * @param {State} before @param {Action} action @param {{ status: number, body: any }} reply
 */
function isLate(before, { type, access, email, subject, emailed }, { status, body }) {
  // Two first visits of one account: the other one has the address.
  if (type === 'provider-visit' && ownerOf(before, subject)) return body?.code === 'account_exists'
  if (access === undefined) return false
  const caller = callerOf(before, access)
  const isOvertaken = type === 'put' && !caller.answer && caller.user.email !== email.toLowerCase()
  const isEmailedOver = emailed !== undefined && body?.code === 'invalid_or_expired_token'
  return status === 401 || status === 404 || isEmailedOver
    ? caller.answer !== undefined
    : isOvertaken && body?.code === 'reauthentication_required'
}

/**
 * Every state that explains the replies to actions at the same moment: as if any of them was first.
 * @param {State} before
 * @param {Action[]} actions
 * @param {{ status: number, body: any }[]} replies
 * @param {Set<string>} refuted gets the answers that the service did not give
 * @param {boolean} [isSecond]
 * @returns {State[]}
 */
export function explain(before, actions, replies, refuted, isSecond = false) {
  if (actions.length === 0) return [before]
  return actions.flatMap((action, index) => {
    const reply = replies[index]
    if (!reply) return []
    if (isSecond && isLate(before, action, reply)) return [before]
    return step(before, action).flatMap(({ answer: { learn, session: _, ...answer }, state }) => {
      // Of two uses of something, the later one may hear of any part that is used up.
      const isUsedUp = isSecond && answer.status === 400 && reply.status === 400
      if (!isUsedUp && !isSameAnswer(answer, reply)) {
        refuted.add(`${action.type}: ${JSON.stringify(answer)}`)
        return []
      }
      learn?.(state, reply.body)
      return explain(state, actions.toSpliced(index, 1), replies.toSpliced(index, 1), refuted, true)
    })
  })
}
