import { isOpen as isOpenSession } from './model/access.js'
import { dayMs, isLive, undoTokens } from './model/state.js'

/** @typedef {import('./model/state.js').State} State */
/** @typedef {import('./model/state.js').User} User */
/** @typedef {import('./people.js').Person} Person */

/** Whether a person has what the second factor of a user takes. @param {Person} someone @param {User} user */
function canProve({ apps, codes, devices }, { factors }) {
  const { totp, codes: ofUser, passkeys } = factors
  const hasOther =
    ofUser.some(({ text }) => codes.has(text)) || passkeys.some((each) => devices.has(each.device))
  return totp === null || apps.has(totp.secret) || hasOther
}

/**
 * How a person gets into the account of a user, without a guess.
 * @param {State} state @param {Person} someone @param {User} user
 */
export function waysIn(state, someone, user) {
  const { mailboxes, passwords, inbox } = someone
  const hasToken = (/** @type {string} */ kind) =>
    state.tokens.some(
      (token) =>
        token.user === user.key &&
        token.kind === kind &&
        isLive(state, token) &&
        inbox.some(({ text }) => text === token.text),
    )
  const hasSession = state.sessions.some(
    (session) =>
      session.user === user.key &&
      isOpenSession(state, session) &&
      (someone.refresh.has(session.refresh.at(-1) ?? '') ||
        session.access.some(({ text, expiresAt }) => expiresAt > state.now && someone.access.includes(text))),
  )
  const isProved = canProve(someone, user)
  // Whoever has a reset takes back what is newer than seven days.
  const isOpen = isProved || (user.factors.totp?.createdAt ?? 0) >= state.now - 7 * dayMs
  const ways = {
    session: hasSession,
    password: user.password !== null && passwords.has(user.password) && isProved,
    mailbox: mailboxes.has(user.email) && isOpen,
    reset: hasToken('reset') && isOpen,
    link: hasToken('login') && isProved,
    passkey: user.factors.passkeys.some(({ device }) => someone.devices.has(device)),
    identity: isProved && user.factors.identities.some(({ subject }) => someone.subjects.has(subject)),
  }
  // Whoever reads the mailbox can have another one sent.
  const undo = undoTokens(state, user).some(({ email }) => mailboxes.has(email))
  const all = { ...(user.isActive && ways), undo }
  return Object.keys(all).filter((way) => all[/** @type {keyof typeof all} */ (way)])
}
