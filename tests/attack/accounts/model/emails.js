import { addToken } from './sign-in.js'
import { hasAdded, isLive, newKey, requestOf, userByEmail, userByKey } from './state.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').User} User */
/** @typedef {import('./state.js').Email} Email */
/** @typedef {import('./state.js').Token} Token */

/**
 * Decides what the contract leaves open. Each answer is a possible one.
 * @typedef {(question: string) => boolean} Either
 */

/** Emails of one kind to one address, in the lifetime of their token, or an hour. */
const maxEmails = 5

const undoMs = 7 * 24 * 60 * 60_000
const signInMs = 30 * 60_000
const loginMs = 10 * 60_000

/** @param {State} state @param {string} kind */
function lifetimeMs({ settings }, kind) {
  if (groupOf(kind) === 'to verify') return settings.emailSeconds * 1000
  if (kind === 'emailed') return signInMs
  if (kind === 'login') return loginMs
  if (isReset(kind)) return Math.min(settings.emailSeconds, 1_800) * 1000
  return kind === 'undo' ? undoMs : 60 * 60_000
}

/** @param {State} state @param {string} kind @param {string} to */
const isFull = (state, kind, to) => {
  const counted = state.counts[`${kind} ${to}`]
  return counted !== undefined && counted.endsAt > state.now && counted.count >= maxEmails
}

/** @param {State} state @param {string} kind @param {string} to @param {number} windowMs */
function count(state, kind, to, windowMs) {
  const counted = state.counts[`${kind} ${to}`]
  const isOver = !counted || counted.endsAt <= state.now
  state.counts[`${kind} ${to}`] = isOver
    ? { count: 1, endsAt: state.now + windowMs }
    : { ...counted, count: counted.count + 1 }
}

/** That names what was added, or does not. @param {string} kind */
export const isReset = (kind) => kind === 'reset' || kind === 'reset with additions'

/** Each has a template of its own. @param {string} kind */
const isOfAddOn = (kind) =>
  /^(emailed|login|claimed|totp on|factor removed|passkey .*|identity .*|recovery .*|wrong codes)$/.test(kind)

/** Kinds that one template may have in common, so that they may be counted together. @param {string} kind */
const groupOf = (kind) => (/^(verification|change|change back)$/.test(kind) ? 'to verify' : 'notice')

/**
 * Counts an email. Those with an undo token, and the reset of an undo, are never dropped.
 * @param {State} state @param {string} kind @param {string} to @param {Either} either
 * @returns whether it is sent
 */
function isAllowed(state, kind, to, either) {
  if (kind === 'undo' || kind === 'undo reset') return true
  const group = isReset(kind) ? 'reset' : isOfAddOn(kind) ? kind : groupOf(kind)
  const [own, all] = [isFull(state, kind, to), isFull(state, group, to)]
  const isDropped = own === all ? own : either('are the emails of a group counted together?')
  if (isDropped) return false
  const windowMs = lifetimeMs(state, kind)
  count(state, kind, to, windowMs)
  if (group !== kind) count(state, group, to, windowMs)
  return true
}

/**
 * Queues a notice. One that is dropped stops nothing.
 * @param {State} state @param {string} kind @param {string} to @param {User} user @param {Either} either
 * @param {{ isOptional?: boolean, about?: number | undefined }} [more]
 */
export function notify(state, kind, to, user, either, { isOptional = false, about } = {}) {
  if (isAllowed(state, kind, to, either))
    state.queue.push({ kind, to, user: user.key, name: user.name, about, isOptional })
}

/** @param {State} state @param {Token['kind']} kind @param {User} user @param {string} email @returns {Token} */
function issue(state, kind, user, email) {
  // A new one voids the old.
  if (kind !== 'undo') voidTokens(state, user, [kind])
  const expiresAt = state.now + lifetimeMs(state, kind)
  const about = { key: newKey(state), user: user.key, isVoid: false, isEmailed: true, changedAt: state.now }
  const token = { ...about, kind, email, expiresAt }
  state.tokens.push(token)
  return token
}

/**
 * Queues an email with a new token.
 * @param {State} state @param {Token['kind']} kind @param {User} user @param {string} to @param {Either} either
 * @param {string} [sort] the kind as which the email counts
 * @returns {Token | undefined} undefined if the email is dropped: the token before stays valid
 */
export function emailToken(state, kind, user, to, either, sort = kind) {
  if (!isAllowed(state, sort, to, either)) return undefined
  const token = issue(state, kind, user, to)
  state.queue.push({ kind: sort, to, user: user.key, name: user.name, token: token.key, isOptional: false })
  return token
}

/**
 * Emails the token that adding a factor takes. A new one voids the old.
 * @param {State} state @param {User} user @param {import('./state.js').Session} session @param {Either} either
 * @returns whether the email is not dropped
 */
export function emailSignIn(state, { key: user, email: to, name }, { key: session }, either) {
  if (!isAllowed(state, 'emailed', to, either)) return false
  for (const token of state.signInTokens)
    if (token.kind === 'emailed' && token.session === session) token.isVoid = true
  const { key: token } = addToken(state, { kind: 'emailed', user, session })
  state.queue.push({ kind: 'emailed', to, user, name, token, isOptional: false })
  return true
}

/** A reset token that a command prints. @param {State} state @param {User} user @returns {Token} */
export function printToken(state, user) {
  const token = issue(state, 'reset', user, user.email)
  token.isEmailed = false
  return token
}

/** @param {State} state @param {User} user @param {Token['kind'][]} [kinds] default: all but undo tokens */
export function voidTokens(state, user, kinds = ['verification', 'change', 'reset', 'login']) {
  for (const token of state.tokens)
    if (token.user === user.key && kinds.includes(token.kind)) token.isVoid = true
}

/** The token of a text, if it works. @param {State} state @param {Token['kind'][]} kinds @param {string} text */
export const tokenOf = (state, kinds, text) =>
  state.tokens.find((token) => kinds.includes(token.kind) && token.text === text && isLive(state, token))

/**
 * forgot-password for a former address: another undo token in the place of the one before, with its end. It counts as a reset.
 * @param {State} state @param {string} email @param {Either} either
 */
function undoAgain(state, email, either) {
  const before = state.tokens.find(
    (token) => token.kind === 'undo' && token.email === email && isLive(state, token),
  )
  const user = before && userByKey(state, before.user)
  if (!user || !isAllowed(state, 'reset', email, either)) return
  const { text: _text, ...rest } = before
  const token = { ...rest, key: newKey(state) }
  before.isVoid = true
  state.tokens.splice(state.tokens.indexOf(before), 1, before, token)
  const about = { kind: 'undo', to: email, user: user.key, name: user.name }
  state.queue.push({ ...about, token: token.key, isOptional: false })
}

/** Does what requests for emails have asked for. @param {State} state @param {Either} either */
export function handleWaiting(state, either) {
  for (const { kind, email } of state.waiting.splice(0)) {
    const user = userByEmail(state, email)
    if (!user && kind === 'reset') undoAgain(state, email, either)
    if (!user?.isActive) continue
    if (kind === 'verification' && (user.isVerified || requestOf(state, user))) continue
    const isNaming = kind === 'reset' && hasAdded(user, state.now - undoMs)
    emailToken(state, kind, user, user.email, either, isNaming ? 'reset with additions' : kind)
  }
}
