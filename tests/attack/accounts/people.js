import { FakeService } from './fake-service.js'
import { isOpen as isOpenSession } from './model/access.js'
import { dayMs, isLive, undoTokens, userByLogin } from './model/state.js'
import { readEmail } from './texts.js'

/** @typedef {import('./model/state.js').State} State */
/** @typedef {import('./model/state.js').User} User */

/**
 * Someone with their mailboxes, and everything that they know.
 * @typedef {object} Person
 * @property {Set<string>} mailboxes
 * @property {Set<string>} passwords
 * @property {string[]} access tokens, the newest last
 * @property {Set<string>} refresh
 * @property {{ sort: string, to: string, text: string }[]} inbox tokens, the newest last
 * @property {Set<string>} apps their secrets
 * @property {Set<string>} codes recovery codes
 * @property {Set<string>} devices with a passkey each
 */

/** @param {...string} mailboxes @returns {Person} */
const person = (...mailboxes) => ({
  mailboxes: new Set(mailboxes),
  passwords: new Set(),
  access: [],
  refresh: new Set(),
  inbox: [],
  apps: new Set(),
  codes: new Set(),
  devices: new Set(),
})

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
function waysIn(state, someone, user) {
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
  }
  // Whoever reads the mailbox can have another one sent.
  const undo = undoTokens(state, user).some(({ email }) => mailboxes.has(email))
  const all = { ...(user.isActive && ways), undo }
  return Object.keys(all).filter((way) => all[/** @type {keyof typeof all} */ (way)])
}

/** The service as the model has it, and everyone who uses it. */
export class World {
  #now = Date.parse('2026-01-01T12:00:00.250Z')

  /** @param {'a' | 'b'} profile @param {import('./model/state.js').AddOns} [addOns] */
  constructor(profile, addOns) {
    this.profile = profile
    this.service = new FakeService(profile, () => this.#now, undefined, addOns)
    /** @type {Person[]} */
    this.people = []
  }

  get now() {
    return this.#now
  }

  get state() {
    return this.service.state
  }

  /** @param {...string} mailboxes */
  join(...mailboxes) {
    const joined = person(...mailboxes)
    this.people.push(joined)
    return joined
  }

  /** @param {number} minutes */
  pass(minutes) {
    this.#now += minutes * 60_000
  }

  /** Makes a step, and reads the emails after it. @param {string} type @param {object} [given] */
  do(type, given = {}) {
    this.pass(1 / 60)
    const { status, body } = this.service.do({ type, ...given })
    for (const message of this.service.read()) {
      const { to, sort, token } = readEmail(message, this.profile)
      for (const { mailboxes, inbox } of this.people)
        if (token !== undefined && mailboxes.has(to)) inbox.push({ to, sort, text: token })
    }
    return { status, code: body.code, made: body }
  }

  /** @param {string} login */
  user(login) {
    const user = userByLogin(this.state, login)
    if (!user) throw new Error(`There is no user ${login}`)
    return user
  }

  /** @param {Person} someone @param {string} login */
  waysIn(someone, login) {
    return waysIn(this.state, someone, this.user(login))
  }

  /** @param {Person} someone @param {string} name @param {string} email @param {string} password */
  register(someone, name, email, password) {
    someone.passwords.add(password)
    return this.do('register', { name, email, password }).status
  }

  /** @param {Person} someone @param {string} login */
  login(someone, login) {
    for (const password of someone.passwords) {
      const { status, made } = this.do('login', { login, password })
      if (status !== 200) continue
      someone.access.push(made.access_token)
      someone.refresh.add(made.refresh_token)
      return true
    }
    return false
  }

  /** Uses the newest access token. @param {Person} someone @param {string} email @param {string} [password] */
  put(someone, email, password) {
    return this.do('put', { access: someone.access.at(-1), email, password }).status
  }

  /** The newest token that someone has had. @param {Person} someone @param {string} sort @param {string} [to] */
  token(someone, sort, to) {
    return someone.inbox.findLast((email) => email.sort === sort && email.to === (to ?? email.to))?.text ?? ''
  }

  /** @param {Person} someone @param {string} [to] */
  verify(someone, to) {
    const token = this.token(someone, 'to verify', to)
    return this.do('verify', { token, access: someone.access.at(-1) }).status
  }

  /** Has a reset sent to an address, and uses it. @param {Person} someone @param {string} email @param {string} password */
  recover(someone, email, password) {
    this.do('forgot', { email })
    return this.reset(someone, password)
  }

  /** @param {Person} someone @param {string} password */
  reset(someone, password) {
    someone.passwords.add(password)
    return this.do('reset', { token: this.token(someone, 'reset'), password }).status
  }

  /** @param {Person} someone @param {string} [to] */
  undo(someone, to) {
    return this.do('undo', { token: this.token(someone, 'undo', to) }).status
  }
}

/** A verified owner, and a thief with a copy of their token. @param {'a' | 'b'} [profile] */
export function robbed(profile = 'b') {
  const world = new World(profile)
  const owner = world.join('e@x.org')
  const thief = world.join('evil@x.org', 'evil2@x.org')
  world.register(owner, 'alice', 'e@x.org', 'own-1')
  world.verify(owner)
  world.login(owner, 'alice')
  thief.access.push(owner.access.at(-1) ?? '')
  return { world, owner, thief }
}
