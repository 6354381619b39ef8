import {
  callerOf,
  endSessions,
  isOpen,
  openSessions,
  refresh,
  refused,
  startSession,
  verifiedCallerOf,
} from './access.js'
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
import { emailToken, notify, tokenOf, voidTokens } from './emails.js'
import { addUser, isNameTaken, isTaken, undoTokens, userByKey, userByLogin } from './state.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./access.js').Answer} Answer */

/**
 * `isStrict`: the instance has LOGIN_REQUIRES_VERIFIED_EMAIL.
 * @typedef {{ either: import('./emails.js').Either, isStrict: boolean }} Context
 */

/** @typedef {(state: State, given: any, context: Context) => Answer} Rule */

const freshMs = 10 * 60_000

const empty = { status: 204 }
const accepted = { status: 202 }
const badCredentials = refused(401, 'invalid_credentials')
const wrongPassword = refused(403, 'invalid_credentials')
const notFresh = refused(403, 'reauthentication_required')

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
  return startSession(state, user)
}

/** @type {Rule} */
function readMe(state, { access }) {
  const caller = callerOf(state, access)
  return caller.answer ?? { status: 200, body: userBody(state, caller.user) }
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
  if (password === undefined && state.now - session.loggedInAt > freshMs) return notFresh
  if (password !== undefined && password !== user.password) return wrongPassword
  return requestChange(state, user, session, email, either)
}

/** @param {'verification' | 'reset'} kind @returns {Rule} */
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
  endAccess(state, user)
  user.password = given.password
  if (token.isEmailed) Object.assign(user, { isVerified: true, isClaimed: true })
  notify(state, 'password changed', user.email, user, either)
  return done('Password has been reset')
}

/** @type {Rule} */
function deleteMe(state, { access, password }, { either, isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user } = caller
  // Users here have a password, or no session. The code for a missing one is left open.
  const missing = { status: 403 }
  const wrong = password === undefined ? missing : password === user.password ? undefined : wrongPassword
  const isUndoable = undoTokens(state, user).length > 0
  if (wrong && !(isUndoable && either('is the undo looked for before the password?'))) return wrong
  if (isUndoable) return refused(409, 'email_change_can_be_undone')
  deleteUser(state, user, either)
  return empty
}

/** @type {Rule} */
function refreshSession(state, given) {
  const { ended, ...answer } = refresh(state, given.refresh)
  const user = ended && userByKey(state, ended.user)
  if (user && user.request?.session === ended.key) cancelRequest(state, user)
  return answer
}

/** @type {Rule} */
function logout(state, given) {
  const byRefresh = state.sessions.find((session) => session.refresh.includes(given.refresh))
  const caller = given.refresh === undefined ? callerOf(state, given.access) : undefined
  if (caller?.answer) return caller.answer
  // A request that it made stays: whoever asks often logs out before they read the email.
  const session = caller?.session ?? byRefresh
  if (session) session.isEnded = true
  return empty
}

/** @type {Rule} */
function logoutAll(state, { access }) {
  const caller = callerOf(state, access)
  if (caller.answer) return caller.answer
  endAccess(state, caller.user)
  return empty
}

/** @type {Rule} */
function changePassword(state, { access, password, next }, { either, isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  if (password === next) return refused(422, 'validation_failed')
  if (password !== user.password) return wrongPassword
  endAccess(state, user)
  user.password = next
  notify(state, 'password changed', user.email, user, either)
  return startSession(state, user, session.loggedInAt)
}

/** @type {Rule} */
function endOtherDevices(state, { access }, { either, isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  endSessions(state, caller.user, caller.session)
  cancelRequest(state, caller.user)
  // All sessions but one: whether emailed tokens end too is left open.
  if (either('does the end of other devices void emailed tokens?')) voidTokens(state, caller.user)
  return empty
}

/** @type {Rule} */
function endDevice(state, { access, id }, { isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user } = caller
  const session = openSessions(state, user).find((each) => each.id === id)
  if (!session || !isOpen(state, session)) return refused(404, 'not_found')
  session.isEnded = true
  if (user.request?.session === session.key) cancelRequest(state, user)
  return empty
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
  reset,
  undo: (state, { token }, { either }) => undoChange(state, token, either),
  delete: deleteMe,
  refresh: refreshSession,
  logout,
  'logout-all': logoutAll,
  'change-password': changePassword,
  'end-devices': endOtherDevices,
  'end-device': endDevice,
}
