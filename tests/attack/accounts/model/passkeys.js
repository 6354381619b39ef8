import { callerOf, refused, startSession, verifiedCallerOf } from './access.js'
import { notify } from './emails.js'
import { acceptPasskey, invalidCode, isRecent } from './factors.js'
import { addToken, endTokens, findToken, learnToken, pending } from './sign-in.js'
import { userByKey } from './state.js'
import { emailedTokenOf, notRecent, notVerified, oneOf } from './totp.js'
import { confirmAddition, noWayIn, removeWayIn } from './ways-in.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').User} User */
/** @typedef {import('./access.js').Answer} Answer */
/** @typedef {import('./api.js').Rule} Rule */
/** @typedef {import('./sign-in.js').SignInToken} SignInToken */

/** @param {State} state @param {Partial<SignInToken>} about @returns {Answer} */
function askDevice(state, about) {
  const token = addToken(state, { kind: 'challenge', ...about })
  const read = (/** @type {any} */ { options }) => ({ text: options.challenge, handle: options.user?.id })
  return { status: 200, learn: learnToken(token, read) }
}

/** @type {Rule} */
function optionsForNew(state, { access, ...given }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  const isOwn = (/** @type {SignInToken} */ each) => each.session === session.key
  if (!findToken(state, 'confirmed', isOwn, either)) {
    const { answer } = confirmAddition(state, caller, given, either)
    if (answer) return answer
    addToken(state, { kind: 'confirmed', user: user.key, session: session.key })
  }
  return askDevice(state, { purpose: 'new', user: user.key, session: session.key })
}

/** @type {Rule} */
function addPasskey(state, { access, emailed, name, device, challenge, counter = 0 }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  const found = emailedTokenOf(state, caller, emailed, either)
  if (found.answer) return found.answer
  const isIt = (/** @type {SignInToken} */ each) => each.text === challenge
  const asked = findToken(state, 'challenge', isIt, either)
  const isKnown = state.users.some(({ factors }) => factors.passkeys.some((each) => each.device === device))
  if (asked?.purpose !== 'new' || asked.session !== session.key || isKnown) {
    if (asked) asked.isVoid = 'open'
    return invalidCode
  }
  endTokens(state, user, pending)
  asked.isVoid = true
  found.token.isVoid = true
  notify(state, 'passkey added', user.email, user, either)
  const added = { id: 0, name, device, counter, createdAt: state.now }
  user.factors.passkeys.push(added)
  const learn = (/** @type {State} */ after, /** @type {any} */ { id }) => {
    for (const each of after.users.flatMap(({ factors }) => factors.passkeys))
      if (each.device === device) each.id = id
  }
  return { status: 201, body: { name }, learn }
}

/** @type {Rule} */
function listPasskeys(state, { access }, { isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const list = caller.user.factors.passkeys.map(({ id, name }) => `${id} ${name}`).toReversed()
  return { status: 200, body: { list } }
}

/** @type {Rule} */
function renamePasskey(state, { access, id, name }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  const passkey = user.factors.passkeys.find((each) => each.id === id)
  const answer = oneOf(either, !isRecent(state, user, session) && notRecent, !passkey && noWayIn)
  if (answer || !passkey) return answer ?? noWayIn
  passkey.name = name
  return { status: 200, body: { id, name } }
}

/** @type {Rule} */
function removePasskey(state, { access, id, ...given }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { factors } = caller.user
  const answer = removeWayIn(
    state,
    caller,
    given,
    factors.passkeys.some((each) => each.id === id),
    either,
  )
  if (answer) return answer
  factors.passkeys = factors.passkeys.filter((each) => each.id !== id)
  notify(state, 'passkey removed', caller.user.email, caller.user, either)
  return { status: 204 }
}

/** @type {Rule} */
function logIn(state, given, { isStrict, either }) {
  const user = state.users.find(({ factors }) =>
    factors.passkeys.some(({ device }) => device === given.device),
  )
  const isRight = acceptPasskey(state, user, given, 'login', () => user?.isActive ?? false, either)
  if (!user || !isRight) return refused(401, 'invalid_credentials')
  return isStrict && !user.isVerified ? notVerified : startSession(state, user, { isMfa: true })
}

/** For a pending login, or for a session. @type {Rule} */
function optionsForProof(state, { mfa, access }, { isStrict, either }) {
  if (mfa !== undefined) {
    const token = findToken(state, 'login', ({ text }) => text === mfa, either)
    const user = token && userByKey(state, token.user ?? 0)
    if (!token || !user?.isActive) return refused(401, 'invalid_mfa_token')
    return askDevice(state, { purpose: 'proof', user: user.key, login: token.key })
  }
  const isGuarded = isStrict && either('is it guarded as other endpoints are?')
  const caller = isGuarded ? verifiedCallerOf(state, access, true) : callerOf(state, access)
  if (caller.answer) return caller.answer
  return askDevice(state, { purpose: 'proof', user: caller.user.key, session: caller.session.key })
}

/** @type {Record<string, Rule>} */
export const passkeyRules = {
  'passkey-options': optionsForNew,
  'passkey-add': addPasskey,
  passkeys: listPasskeys,
  'passkey-rename': renamePasskey,
  'passkey-remove': removePasskey,
  'passkey-login-options': (state) => askDevice(state, { purpose: 'login' }),
  'passkey-login': logIn,
  'mfa-options': optionsForProof,
}
