import {
  callerOf,
  endSessions,
  isOpen,
  openSessions,
  refresh,
  refused,
  sessionOfRefresh,
  verifiedCallerOf,
} from './access.js'
import { cancelRequest, endAccess } from './changes.js'
import { isCookie } from './cookies.js'
import { voidTokens } from './emails.js'
import { endTokens } from './sign-in.js'
import { userByKey } from './state.js'

/** @typedef {import('./api.js').Rule} Rule */

const empty = { status: 204 }

/** @type {Rule} */
function refreshSession(state, given) {
  const { ended, ...answer } = refresh(state, given.refresh)
  const user = ended && userByKey(state, ended.user)
  if (user && user.request?.session === ended.key) cancelRequest(state, user)
  return answer
}

/** @type {Rule} */
function logout(state, given) {
  const byRefresh = sessionOfRefresh(state, given.refresh)
  const caller = given.refresh === undefined ? callerOf(state, given.access) : undefined
  // A cookie is cleared, also when its session is over.
  if (caller?.answer) return isCookie(given.access) ? empty : caller.answer
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
function endOtherDevices(state, { access }, { either, isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  endSessions(state, caller.user, caller.session)
  cancelRequest(state, caller.user)
  // All sessions but one: whether emailed tokens end too is left open.
  if (either('does the end of other devices void emailed tokens?')) voidTokens(state, caller.user)
  endTokens(state, caller.user, [])
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

/** What ends sessions, and renews them. @type {Record<string, Rule>} */
export const sessionRules = {
  refresh: refreshSession,
  logout,
  'logout-all': logoutAll,
  'end-devices': endOtherDevices,
  'end-device': endDevice,
}
