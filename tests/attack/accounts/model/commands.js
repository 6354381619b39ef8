import { deliver } from './arrivals.js'
import { cleanUp, deleteUser, endAccess, moveTo } from './changes.js'
import { handleWaiting, notify, printToken } from './emails.js'
import { removeFactors } from './factors.js'
import { addUser, isNameTaken, isTaken, undoTokens, userByLogin } from './state.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./api.js').Rule} Rule */

/** The password that is typed at every prompt. */
export const promptedPassword = 'Correct-Horse-7'

/** Commands have two answers. */
const ok = { status: 0 }
const failed = { status: 1 }

/**
 * A command that changes a user, or fails without one.
 * @param {(state: State, user: import('./state.js').User, given: any, context: import('./api.js').Context) => import('./access.js').Answer | void} change
 * @returns {Rule}
 */
const ofUser = (change) => (state, given, context) => {
  const user = userByLogin(state, given.user)
  return user ? (change(state, user, given, context) ?? ok) : failed
}

/** @type {Rule} */
function create(state, { name, email }) {
  if (isNameTaken(state, name) || isTaken(state, email)) return failed
  addUser(state, { name, email, password: promptedPassword })
  return ok
}

/** One line. A user who was imported and still has both names stays as they are; whoever else has one of them is refused. @type {Rule} */
function importUser(state, { name, email, password, isVerified, isActive }) {
  const user = userByLogin(state, name)
  if (user?.isImported && user.email === email.toLowerCase()) return ok
  if (isNameTaken(state, name) || isTaken(state, email)) return failed
  Object.assign(addUser(state, { name, email, password, isVerified, isActive }), { isImported: true })
  return ok
}

/** What an operator can do. @type {Record<string, Rule>} */
const user = {
  create,
  import: importUser,
  password: ofUser((state, user) => {
    endAccess(state, user)
    user.password = promptedPassword
  }),
  deactivate: ofUser((state, user) => {
    endAccess(state, user)
    user.isActive = false
  }),
  activate: ofUser((_state, user) => {
    user.isActive = true
  }),
  'end-sessions': ofUser(endAccess),
  verify: ofUser((_state, user) => {
    Object.assign(user, { isVerified: true, isClaimed: true })
  }),
  'reset-link': ofUser((state, user, _given, { either }) => {
    if (!user.isActive) return failed
    if (!user.isVerified && either('is a link for a user who never verified refused?')) return failed
    const { key } = printToken(state, user)
    const learn = (/** @type {State} */ { tokens }, /** @type {any} */ { token: text }) => {
      for (const token of tokens) if (token.key === key) token.text = text
    }
    return { status: 0, learn }
  }),
  'set-email': ofUser((state, user, { email }, { either }) => {
    if (isTaken(state, email, user)) return failed
    for (const token of undoTokens(state, user)) token.isVoid = true
    moveTo(state, user, email, either)
    return ok
  }),
  'reset-mfa': ofUser((state, user, _given, { either }) => {
    removeFactors(user)
    endAccess(state, user)
    if (user.isVerified) notify(state, 'factor removed', user.email, user, either, { isOptional: true })
  }),
  delete: ofUser((state, user, _given, { either }) => deleteUser(state, user, either)),
}

/** Everything but the API. @type {Record<string, Rule>} */
export const operator = {
  ...Object.fromEntries(Object.entries(user).map(([name, rule]) => [`user ${name}`, rule])),
  'clean-up': (state, _given, { either }) => {
    cleanUp(state, either)
    return ok
  },
  /** Time passes. The clock itself belongs to whoever makes the steps. */
  wait: () => ok,
  /** The emails that arrive. `body` has them all. */
  'read-emails': (state, _given, { either }) => {
    handleWaiting(state, either)
    return { status: 0, body: { emails: deliver(state) } }
  },
}
