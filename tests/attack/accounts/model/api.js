import { callerOf, refused, startSession, verifiedCallerOf } from './access.js'
import {
  badToken,
  cancelRequest,
  deleteUser,
  done,
  endAccess,
  requestChange,
  undoChange,
  userBody,
  verifyEmail,
} from './changes.js'
import { emailToken, notify, tokenOf } from './emails.js'
import { isRecent, removeFactors } from './factors.js'
import { identityRules, learnName } from './identities.js'
import { passkeyRules } from './passkeys.js'
import { sessionRules } from './sessions.js'
import { addToken, goOn } from './sign-in.js'
import { addUser, dayMs, isNameTaken, isTaken, undoTokens, userByKey, userByLogin } from './state.js'
import { notRecent, totpRules } from './totp.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./access.js').Answer} Answer */

/**
 * `isStrict`: the instance has LOGIN_REQUIRES_VERIFIED_EMAIL. `isTrusting`: it believes the provider about addresses.
 * @typedef {{ either: import('./emails.js').Either, isStrict: boolean, isTrusting: boolean }} Context
 */

/** @typedef {(state: State, given: any, context: Context) => Answer} Rule */

const empty = { status: 204 }
const accepted = { status: 202 }
const badCredentials = refused(401, 'invalid_credentials')
const wrongPassword = refused(403, 'invalid_credentials')

/** @type {Rule} */
function register(state, { name, email, password }, { either }) {
  if (isNameTaken(state, name) || isTaken(state, email)) return refused(409, 'already_registered')
  const user = addUser(state, { name, email, password, isClaimed: false })
  emailToken(state, 'verification', user, user.email, either)
  return { status: 201, body: userBody(state, user) }
}

/** @type {Rule} */
function login(state, { login, password }, { isStrict }) {
  const user = userByLogin(state, login)
  if (!user?.isActive || user.password === null || user.password !== password) return badCredentials
  if (isStrict && !user.isVerified) return refused(403, 'user_not_verified')
  return goOn(state, user)
}

/** @type {Rule} */
function readMe(state, { access }) {
  const caller = callerOf(state, access)
  if (caller.answer) return caller.answer
  const { user } = caller
  return { status: 200, body: userBody(state, user), ...(user.isUnnamed && { learn: learnName(user) }) }
}

/** @type {Rule} */
function changeEmail(state, { access, email, password }, { either }) {
  const caller = callerOf(state, access)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  if (email.toLowerCase() === user.email) {
    cancelRequest(state, user)
    return { status: 200, body: userBody(state, user) }
  }
  // No password makes up for the second factor.
  if ((password === undefined || user.factors.totp) && !isRecent(state, user, session)) return notRecent
  if (password !== undefined && password !== user.password) return wrongPassword
  return requestChange(state, user, session, email, either)
}

/** @param {'verification' | 'reset' | 'login'} kind @returns {Rule} */
const requestEmail = (kind) => (state, given) => {
  const email = given.email.toLowerCase()
  const isWaiting = state.waiting.some((each) => each.kind === kind && each.email === email)
  if (!isWaiting) state.waiting.push({ kind, email })
  return accepted
}

/** @type {Rule} */
function reset(state, given, { either }) {
  const token = tokenOf(state, ['reset'], given.token)
  const user = token && userByKey(state, token.user)
  if (!user) return badToken
  // An undo emails a reset to inactive users too. Whether it works before someone activates them is left open.
  if (!user.isActive && either('is a reset of an inactive user refused?')) return badToken
  // Whoever registered the address may be a stranger.
  if (!user.isVerified) removeFactors(user)
  endAccess(state, user)
  const { text, expiresAt, changedAt } = token
  const about = { user: user.key, text: text ?? '', expiresAt, since: changedAt - 7 * dayMs }
  addToken(state, { kind: 'additions', isVoid: token.isEmailed ? false : 'open', ...about })
  user.factors.wrong = {}
  user.password = given.password
  if (token.isEmailed) Object.assign(user, { isVerified: true, isClaimed: true })
  notify(state, 'password changed', user.email, user, either)
  return done('Password has been reset')
}

/** @type {Rule} */
function logInByEmail(state, given, { either }) {
  const token = tokenOf(state, ['login'], given.token)
  const user = token && userByKey(state, token.user)
  if (!token || !user?.isActive) return badToken
  token.isVoid = true
  // Whoever registered the address may be a stranger.
  if (!user.isVerified) {
    removeFactors(user)
    endAccess(state, user)
    Object.assign(user, { password: null, isVerified: true, isClaimed: true })
    notify(state, 'claimed', user.email, user, either)
  }
  return goOn(state, user)
}

/** @type {Rule} */
function deleteMe(state, { access, password }, { either, isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  // The code for a missing one is left open.
  const missing = { status: 403 }
  const stale = user.factors.totp && !isRecent(state, user, session) ? notRecent : undefined
  const wrong =
    password === undefined ? missing : (stale ?? (password === user.password ? undefined : wrongPassword))
  const isUndoable = undoTokens(state, user).length > 0
  if (wrong && !(isUndoable && either('is the undo looked for before the password?'))) return wrong
  if (isUndoable) return refused(409, 'email_change_can_be_undone')
  deleteUser(state, user, either)
  return empty
}

/** @type {Rule} */
function changePassword(state, { access, password, next }, { either, isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  if (password === next) return refused(422, 'validation_failed')
  if (user.factors.totp && !isRecent(state, user, session)) return notRecent
  if (password !== user.password) return wrongPassword
  endAccess(state, user)
  user.password = next
  notify(state, 'password changed', user.email, user, either)
  return startSession(state, user, session)
}

/** What each endpoint answers. @type {Record<string, Rule>} */
export const api = {
  register,
  login,
  me: readMe,
  put: changeEmail,
  verify: (state, given, { either }) => verifyEmail(state, given, either),
  resend: requestEmail('verification'),
  forgot: requestEmail('reset'),
  'ask-login': requestEmail('login'),
  'email-login': logInByEmail,
  reset,
  undo: (state, { token }, { either }) => undoChange(state, token, either),
  delete: deleteMe,
  'change-password': changePassword,
  ...sessionRules,
  ...totpRules,
  ...passkeyRules,
  ...identityRules,
}
