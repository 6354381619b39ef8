import { callerOf, endSessions, refused } from './access.js'
import { emailToken, notify, tokenOf, voidTokens } from './emails.js'
import { removeFactors } from './factors.js'
import { endTokens, pending } from './sign-in.js'
import { dayMs, isTaken, requestOf, undoTokens, userByKey } from './state.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').User} User */
/** @typedef {import('./state.js').Session} Session */
/** @typedef {import('./access.js').Answer} Answer */
/** @typedef {import('./emails.js').Either} Either */

const undoMs = 7 * dayMs
const longestUndoMs = 30 * dayMs

export const badToken = refused(400, 'invalid_or_expired_token')

/** @param {string} message @returns {Answer} */
export const done = (message) => ({ status: 200, body: { message } })

/** What every answer about a user has. @param {State} state @param {User} user */
export const userBody = (state, user) => ({
  email: user.email,
  ...(!user.isUnnamed && { username: user.name }),
  is_active: user.isActive,
  is_verified: user.isVerified,
  pending_email: requestOf(state, user)?.email,
})

/** @param {State} state @param {User} user */
export function cancelRequest(state, user) {
  user.request = null
  voidTokens(state, user, ['change'])
}

/** Ends whatever lets someone in, but undo tokens. @param {State} state @param {User} user */
export function endAccess(state, user) {
  endSessions(state, user)
  voidTokens(state, user)
  endTokens(state, user)
  cancelRequest(state, user)
  user.factors.passed = {}
}

/**
 * PUT users/me, after the caller has proved that they may.
 * @param {State} state @param {User} user @param {Session} session @param {string} email @param {Either} either
 * @returns {Answer}
 */
export function requestChange(state, user, session, email, either) {
  const address = email.toLowerCase()
  if (isTaken(state, address, user)) return refused(409, 'already_registered')
  const isBack = undoTokens(state, user).some((each) => each.email === address)
  const token = emailToken(state, 'change', user, address, either, isBack ? 'change back' : 'change')
  // The former request stays.
  if (!token) return refused(429, 'too_many_requests')
  user.request = { email: address, token: token.key, session: session.key, expiresAt: token.expiresAt }
  if (!user.isVerified) voidTokens(state, user, ['verification'])
  notify(state, 'change requested', user.email, user, either, { about: token.key })
  return { status: 200, body: userBody(state, user) }
}

/** @param {State} state @param {User} user @param {Either} either */
function verifyUser(state, user, either) {
  const isWelcome = state.settings.profile === 'b' && !user.isVerified
  Object.assign(user, { isVerified: true, isClaimed: true })
  if (isWelcome) notify(state, 'welcome', user.email, user, either)
}

/**
 * POST verify-email: of a registration, or of a change.
 * @param {State} state @param {{ token: string, access?: string | undefined }} given @param {Either} either
 * @returns {Answer}
 */
export function verifyEmail(state, given, either) {
  const token = tokenOf(state, ['verification', 'change'], given.token)
  const user = token && userByKey(state, token.user)
  if (!user) return badToken
  if (token.kind === 'verification') {
    // Whoever came by a provider may be a stranger: only they verify the address. Neither of these uses the token up.
    const caller = user.factors.identities.length > 0 ? callerOf(state, given.access) : undefined
    if (caller?.answer) return refused(401, 'not_authenticated')
    if (caller && caller.user !== user) return badToken
    token.isVoid = true
    // A welcome after the command `verify`: left open.
    if (user.isVerified && state.settings.profile === 'b')
      notify(state, 'welcome', user.email, user, either, { isOptional: true })
    verifyUser(state, user, either)
    return done('Email verified')
  }
  const caller = callerOf(state, given.access)
  if (caller.answer) return refused(401, 'not_authenticated')
  // Neither of these uses the token up.
  if (caller.user !== user || isTaken(state, token.email, user)) return badToken
  // Back at a former address, whoever the change threw out must not keep what they had added.
  const undo = undoTokens(state, user).find((each) => each.email === token.email)
  if (undo) return undoBy(state, user, undo, either)
  confirm(state, user, token.email, either)
  return done('Email verified')
}

/** @param {State} state @param {User} user @param {string} email @param {Either} either */
function confirm(state, user, email, either) {
  const former = { email: user.email, isVerified: user.isVerified }
  user.email = email
  cancelRequest(state, user)
  voidTokens(state, user)
  endTokens(state, user, [...pending, 'emailed'])
  for (const token of undoTokens(state, user))
    token.expiresAt = Math.min(state.now + undoMs, token.changedAt + longestUndoMs)
  if (former.isVerified) emailToken(state, 'undo', user, former.email, either)
  else notify(state, 'changed', former.email, user, either)
  verifyUser(state, user, either)
}

/**
 * What an undo does, and `set-email`: an address that has proved itself, and no way in but a reset by it.
 * @param {State} state @param {User} user @param {string} email @param {Either} either
 */
export function moveTo(state, user, email, either) {
  const left = user.email
  endAccess(state, user)
  Object.assign(user, { email: email.toLowerCase(), isVerified: true, isClaimed: true, password: null })
  // The contract does not say whether the address that is left gets a notice.
  notify(state, 'changed', left, user, either, { isOptional: true })
  emailToken(state, 'reset', user, user.email, either, 'undo reset')
}

/** POST undo-email-change. @param {State} state @param {string} text @param {Either} either @returns {Answer} */
export function undoChange(state, text, either) {
  const token = tokenOf(state, ['undo'], text)
  const user = token && userByKey(state, token.user)
  return user ? undoBy(state, user, token, either) : badToken
}

/**
 * Undoes a change and those after it. @param {State} state @param {User} user @param {import('./state.js').Token} token
 * @param {Either} either
 */
function undoBy(state, user, token, either) {
  const tokens = undoTokens(state, user)
  for (const each of tokens.slice(tokens.indexOf(token))) each.isVoid = true
  removeFactors(user, token.changedAt - 7 * dayMs)
  moveTo(state, user, token.email, either)
  return done('Email change undone')
}

/** Deletes a user. Their name stays taken. @param {State} state @param {User} user @param {Either} either */
export function deleteUser(state, user, either) {
  endAccess(state, user)
  for (const address of new Set([user.email, ...undoTokens(state, user).map(({ email }) => email)]))
    notify(state, 'deleted', address, user, either, { isOptional: true })
  voidTokens(state, user, ['undo'])
  state.formerNames.push(user.name.toLowerCase())
  state.users = state.users.filter((other) => other !== user)
}

/**
 * The clean-up frees the names of registrations that nobody verified or used. It also asks the clock of the database,
 * which the clock of this model leaves behind.
 * @param {State} state @param {Either} either
 */
export function cleanUp(state, either) {
  const isOver = (/** @type {User} */ user) => !user.isClaimed && user.createdAt + 7 * dayMs <= state.now
  if (!state.users.some(isOver) || either('is it not yet over by the clock of the database?')) return
  for (const user of state.users.filter(isOver)) voidTokens(state, user)
  state.users = state.users.filter((user) => !isOver(user))
}
