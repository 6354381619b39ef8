import { canonicalEmail, withoutSpaces } from './validity.js'

/** @typedef {'verification' | 'confirm' | 'reset' | 'undo' | 'login' | 'notice'} MailKind */

/**
 * @typedef {object} User
 * @property {number} id
 * @property {string} username
 * @property {string} email as stored
 * @property {string | null} password in NFC; null after an undo
 * @property {boolean} isVerified
 * @property {boolean} isFamiliar whether a login from this machine is no news
 */

/**
 * @typedef {object} Session
 * @property {User} user
 * @property {boolean} isLive
 * @property {number | undefined} id in mode complete
 * @property {string[]} access every access token of the session
 * @property {string[]} refresh every refresh token of the session, the current one last
 * @property {string | null} deviceName
 * @property {string | null} deviceType
 */

/** @typedef {{ to: string, kind: MailKind, user: User, isLive: boolean, isRead: boolean, token?: string, session?: Session }} Mail `to` is also what an undo restores, or the address of a change that waits, which `session` asked for */

/** A user has at most so many sessions. One more login ends the oldest. */
const maxSessions = 50

/** What should be true of the service: who exists, who is logged in, which tokens and mails there are. */
export class Model {
  /** @type {User[]} */
  users = []
  /** The usernames of deleted users, in lower case. @type {Set<string>} */
  retiredNames = new Set()
  /** @type {Session[]} */
  sessions = []
  /** Every mail since the sequence began, oldest first. @type {Mail[]} */
  mails = []

  /**
   * @param {string} variant
   * @param {string} prefix of the names of this sequence
   * @param {boolean} hasGrace whether a replaced refresh token returns the same new token until that is used
   */
  constructor(variant, prefix, hasGrace) {
    const [mode, profile] = variant.split('-')
    this.isComplete = mode === 'complete'
    this.profile = profile
    this.prefix = prefix
    this.hasGrace = hasGrace
  }

  /** @param {string} login a username or an email */
  userOf(login) {
    const lower = withoutSpaces(login).toLowerCase()
    return this.users.find(({ username }) => username.toLowerCase() === lower) ?? this.ownerOf(login)
  }

  /** @param {string} email as typed */
  ownerOf(email) {
    return this.users.find((user) => user.email === canonicalEmail(email))
  }

  /** Whether an address belongs to another user, or is kept for one. @param {string} email as typed @param {User} [user] */
  isTaken(email, user) {
    const address = canonicalEmail(email)
    return (
      this.users.some((other) => other !== user && other.email === address) ||
      this.mails.some(
        ({ kind, isLive, to, ...mail }) => mail.user !== user && isLive && kind === 'undo' && to === address,
      )
    )
  }

  /** The live session of an access token. @param {string | undefined} token */
  callerOf(token) {
    return this.sessions.find(({ isLive, access }) => isLive && access.includes(token ?? ''))
  }

  /** @param {User} user */
  liveSessions(user) {
    return this.sessions.filter((session) => session.user === user && session.isLive)
  }

  /**
   * @param {User} user
   * @param {{ access_token: string, refresh_token?: string }} tokens
   * @param {{ deviceName?: string | null, deviceType?: string | null }} [device]
   */
  startSession(user, tokens, { deviceName = null, deviceType = null } = {}) {
    const live = this.liveSessions(user)
    if (this.isComplete && live.length === maxSessions && live[0]) this.endSession(live[0])
    const { access_token: token, refresh_token: refresh } = tokens
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const about = { user, isLive: true, id: payload.sid, deviceName, deviceType }
    this.sessions.push({ ...about, access: [token], refresh: refresh === undefined ? [] : [refresh] })
  }

  /** Not by its own logout: the change that it asked for ends too. @param {Session} session */
  endSession(session) {
    session.isLive = false
    for (const mail of this.mails) if (mail.session === session) mail.isLive = false
  }

  /** The change that waits. @param {User} user */
  pendingOf(user) {
    return this.mails.find((mail) => mail.user === user && mail.kind === 'confirm' && mail.isLive)
  }

  /** The undo tokens of a user that restore an address, or came later than the first that does. @param {User} user @param {string} email */
  undosFrom(user, email) {
    const undos = this.mails.filter((mail) => mail.user === user && mail.kind === 'undo' && mail.isLive)
    const first = undos.findIndex(({ to }) => to === email)
    return first === -1 ? [] : undos.slice(first)
  }

  /** @param {User} user */
  endSessions(user) {
    for (const session of this.liveSessions(user)) session.isLive = false
  }

  /**
   * A new mail with a token replaces the one before.
   * @param {User} user @param {MailKind} kind @param {string} [to] @param {Session} [session]
   */
  mail(user, kind, to = user.email, session = undefined) {
    if (!this.isComplete) return
    if (kind !== 'undo' && kind !== 'notice') this.voidTokens(user, [kind])
    this.mails.push({ to, kind, user, isRead: false, isLive: kind !== 'notice', ...(session && { session }) })
  }

  /** @param {User} user @param {MailKind[]} [kinds] */
  voidTokens(user, kinds = ['verification', 'confirm', 'reset', 'login']) {
    for (const mail of this.mails) if (mail.user === user && kinds.includes(mail.kind)) mail.isLive = false
  }

  /** Deletes a user with all that is theirs. @param {User} user */
  remove(user) {
    this.endSessions(user)
    this.voidTokens(user)
    this.users = this.users.filter((other) => other !== user)
    this.retiredNames.add(user.username.toLowerCase())
  }

  /** The mail of a valid token, spelled in any way. @param {MailKind} kind @param {string} text */
  mailOf(kind, text) {
    /** @param {string} token */
    const canonical = (token) => (this.profile === 'b' ? token.replaceAll(/[ -]/g, '').toUpperCase() : token)
    return this.mails.find(
      ({ kind: its, isLive, token }) =>
        its === kind && isLive && token !== undefined && canonical(token) === canonical(text),
    )
  }
}
