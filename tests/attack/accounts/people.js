import { FakeService } from './fake-service.js'
import { userByLogin } from './model/state.js'
import { readEmail } from './texts.js'
import { waysIn } from './ways.js'

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
 * @property {Set<string>} subjects of their accounts at the provider
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
  subjects: new Set(),
})

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
