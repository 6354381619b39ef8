import { stepOfCode } from '../../../support/totp-codes.js'
import { endSessions, refused, startSession, verifiedCallerOf } from './access.js'
import { badToken, cancelRequest, endAccess } from './changes.js'
import { emailSignIn, notify, voidTokens } from './emails.js'
import {
  countWrong,
  invalidCode,
  isRecent,
  prove,
  recordPass,
  refuseGuess,
  removeFactors,
  removeTotp,
} from './factors.js'
import { addToken, endTokens, findToken, learnToken, pending } from './sign-in.js'
import { userByKey } from './state.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./access.js').Answer} Answer */
/** @typedef {import('./api.js').Rule} Rule */

export const notRecent = refused(403, 'reauthentication_required')
export const notVerified = refused(403, 'user_not_verified')

/** One of the refusals that apply: the contract does not say which one goes first. @param {import('./emails.js').Either} either @param {(Answer | false | null | undefined)[]} all */
export function oneOf(either, ...all) {
  const [first, ...others] = all.filter((answer) => typeof answer === 'object' && answer !== null)
  return others.reduce((chosen, answer) => (either('is another refusal first?') ? answer : chosen), first)
}

/**
 * What adding takes: the token that was emailed to this session. Without one, it is sent.
 * @param {State} state
 * @param {{ user: import('./state.js').User, session: import('./state.js').Session }} caller
 * @param {string | undefined} text @param {import('./emails.js').Either} either
 * @returns {{ token: import('./sign-in.js').SignInToken, answer?: undefined } | { answer: Answer }}
 */
export function emailedTokenOf(state, { user, session }, text, either) {
  const stale = text === undefined && !isRecent(state, user, session) && notRecent
  const early = oneOf(either, !user.isVerified && notVerified, stale)
  if (early) return { answer: early }
  if (text === undefined) {
    const isSent = emailSignIn(state, user, session, either)
    return { answer: isSent ? refused(403, 'emailed_token_required') : refused(429, 'too_many_requests') }
  }
  const isIt = (/** @type {import('./sign-in.js').SignInToken} */ each) =>
    each.text === text.toUpperCase() && each.session === session.key
  const token = findToken(state, 'emailed', isIt, either)
  return token ? { token } : { answer: badToken }
}

/** @type {Rule} */
function readMfa(state, { access }, { isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { totp, passkeys, codes } = caller.user.factors
  const body = { totp: totp !== null, passkeys: passkeys.length, recovery_codes_left: codes.length }
  return { status: 200, body }
}

/** @type {Rule} */
function setUp(state, { access }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  const answer = oneOf(
    either,
    !isRecent(state, user, session) && notRecent,
    !user.isVerified && notVerified,
    user.factors.totp && refused(409, 'totp_already_on'),
  )
  if (answer) return answer
  for (const token of state.signInTokens)
    if (token.kind === 'setup' && token.session === session.key) token.isVoid = true
  const token = addToken(state, { kind: 'setup', user: user.key, session: session.key })
  return { status: 200, learn: learnToken(token, ({ secret: text }) => ({ text })) }
}

/** @param {import('./state.js').User} user @returns {Answer} with new recovery codes */
const newCodes = ({ key }) => ({
  status: 200,
  learn: (state, { recovery_codes: texts }) => {
    const factors = userByKey(state, key)?.factors
    if (!factors) return
    factors.spent.push(...factors.codes.map(({ text }) => text))
    factors.codes = texts.map((/** @type {string} */ text) => ({ text, createdAt: state.now }))
  },
})

/** @type {Rule} */
function confirmTotp(state, { access, emailed, code, client }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  if (user.factors.totp) return refused(409, 'totp_already_on')
  const found = emailedTokenOf(state, caller, emailed, either)
  if (found.answer) return found.answer
  const full = code === undefined ? undefined : refuseGuess(state, user, client, either)
  if (full) return full
  const isOwn = (/** @type {import('./sign-in.js').SignInToken} */ each) => each.session === session.key
  const secret = findToken(state, 'setup', isOwn, either)?.text
  const step = secret && code ? stepOfCode(secret, code, state.now) : undefined
  if (!secret || step === undefined) {
    if (code !== undefined) countWrong(state, user, client)
    return invalidCode
  }
  user.factors.totp = { secret, lastStep: step, createdAt: state.now }
  recordPass(state, user, client)
  Object.assign(session, { isMfa: true, isByRecovery: false })
  endSessions(state, user, session)
  if (user.request && (user.request.session !== session.key || either('does its own request end?')))
    cancelRequest(state, user)
  // All sessions but one: whether emailed tokens end too is left open.
  if (either('does the confirmation void emailed tokens?')) voidTokens(state, user)
  endTokens(state, user, pending)
  found.token.isVoid = true
  notify(state, 'totp on', user.email, user, either)
  return newCodes(user)
}

/** @type {Rule} */
function disableTotp(state, { access, ...given }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  if (!isRecent(state, user, session)) return notRecent
  const byRecovery = user.factors.totp && session.isByRecovery && given.code === undefined
  if (!byRecovery) {
    const asked = { session: session.key, client: given.client }
    const { answer, method } = prove(state, user, given, asked, either)
    if (answer) return answer
    if (!method || !user.factors.totp) return invalidCode
  }
  removeTotp(user.factors)
  endTokens(state, user, pending)
  notify(state, 'factor removed', user.email, user, either)
  return { status: 204 }
}

/** @type {Rule} */
function renewCodes(state, { access, ...given }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  if (!isRecent(state, user, session)) return notRecent
  const { answer, method } = prove(state, user, given, { session: session.key, client: given.client }, either)
  if (answer) return answer
  if (!method) return invalidCode
  endTokens(state, user, [])
  notify(state, 'recovery codes', user.email, user, either, { isOptional: true })
  return user.factors.totp ? newCodes(user) : { status: 200, body: { recovery_codes: [] } }
}

/** Wrong answers after which a pending login is void. */
const maxTries = 5

/** @type {Rule} */
function completeLogin(state, { mfa, ...given }, { either }) {
  const token = findToken(state, 'login', ({ text }) => text === mfa, either)
  const user = token && userByKey(state, token.user ?? 0)
  if (!token || !user?.isActive) return refused(401, 'invalid_mfa_token')
  const { answer, method } = prove(state, user, given, { login: token.key, client: given.client }, either)
  if (answer) return answer
  if (!method) {
    const isCode = given.code !== undefined || given.recovery !== undefined
    if (isCode) token.tries += 1
    else token.openTries += 1
    if (token.tries + token.openTries >= maxTries) token.isVoid = token.tries >= maxTries || 'open'
    return refused(401, 'invalid_code')
  }
  token.isVoid = true
  return startSession(state, user, { isMfa: true, isByRecovery: method === 'recovery' })
}

/** The token of a reset, after it. @type {Rule} */
function undoAdditions(state, given, { either }) {
  const token = findToken(state, 'additions', ({ text }) => text === given.token, either)
  const user = token && userByKey(state, token.user ?? 0)
  if (!token || !user?.isActive) {
    if (token) token.isVoid = 'open'
    return badToken
  }
  const removed = removeFactors(user, token.since)
  endAccess(state, user)
  token.isVoid = true
  if (removed.length > 0) notify(state, 'factor removed', user.email, user, either)
  return { status: 200, body: { removed } }
}

/** @type {Record<string, Rule>} */
export const totpRules = {
  mfa: readMfa,
  'totp-setup': setUp,
  'totp-confirm': confirmTotp,
  'totp-disable': disableTotp,
  'recovery-codes': renewCodes,
  'mfa-login': completeLogin,
  'undo-additions': undoAdditions,
}
