import { refused } from './access.js'
import { invalidCode, isRecent, prove } from './factors.js'
import { endTokens, pending } from './sign-in.js'
import { emailedTokenOf, notRecent, oneOf } from './totp.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./access.js').Answer} Answer */
/** @typedef {import('./emails.js').Either} Either */

/** Whoever is logged in. @typedef {{ user: import('./state.js').User, session: import('./state.js').Session }} Caller */

/** What confirms that a way in is added or removed. @typedef {import('./factors.js').Given & { emailed?: string, client?: string }} Confirmation */

export const noWayIn = refused(404, 'not_found')

/**
 * What a user with totp proves. @param {State} state @param {Caller} caller @param {Confirmation} given @param {Either} either
 * @returns {Answer | undefined} a refusal
 */
function refuseProof(state, { user, session }, { emailed: _, client, ...given }, either) {
  const { answer, method } = prove(state, user, given, { session: session.key, client }, either)
  return answer ?? (method ? undefined : invalidCode)
}

/**
 * What adding a way in takes. The emailed token is used up when it is added.
 * @param {State} state @param {Caller} caller @param {Confirmation} given @param {Either} either
 * @returns {{ token: import('./sign-in.js').SignInToken, answer?: undefined } | { answer: Answer }}
 */
export function confirmAddition(state, caller, given, either) {
  const found = emailedTokenOf(state, caller, given.emailed, either)
  const answer =
    found.answer ?? (caller.user.factors.totp ? refuseProof(state, caller, given, either) : undefined)
  return answer ? { answer } : found
}

/**
 * What removing a way in takes. It is the caller's, or unknown.
 * @param {State} state @param {Caller} caller @param {Confirmation} given @param {boolean} isKnown @param {Either} either
 * @returns {Answer | undefined} a refusal
 */
export function removeWayIn(state, caller, given, isKnown, either) {
  const { user, session } = caller
  const { passkeys, identities, totp } = user.factors
  const isLast = passkeys.length + identities.length === 1 && user.password === null
  const stale = totp && !isRecent(state, user, session) && notRecent
  const early = isKnown ? isLast && refused(409, 'last_sign_in_method') : noWayIn
  const refusal =
    oneOf(either, stale, early) ?? (totp ? refuseProof(state, caller, given, either) : undefined)
  if (refusal) return refusal
  if (!totp) {
    const found = emailedTokenOf(state, caller, given.emailed, either)
    if (found.answer) return found.answer
    found.token.isVoid = true
  }
  endTokens(state, user, pending)
  return undefined
}
