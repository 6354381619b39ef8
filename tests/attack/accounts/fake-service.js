import { compareEmails, sortOf } from './model/arrivals.js'
import { cookieText } from './model/cookies.js'
import { newState, noAddOns } from './model/state.js'
import { step } from './model/step.js'

/** @typedef {import('./model/state.js').State} State */
/** @typedef {import('./model/step.js').Action} Action */

const pages = {
  'to verify': 'verify-email',
  reset: 'reset-password',
  undo: 'undo-email-change',
  login: 'email-login',
  notice: '',
}

/** A secret of an app. @param {number} number */
const base32 = (number) => {
  const digits = number.toString(16).padStart(32, '0')
  return digits.replaceAll(/./g, (digit) => 'ABCDEFGHIJKLMNOP'.charAt(Number.parseInt(digit, 16)))
}

/** With the id of a session, in six bytes, before the rest. @param {number} id */
const cookieOf = (id) =>
  Buffer.from(`${id.toString(16).padStart(12, '0')}${'00'.repeat(48)}`, 'hex').toString('base64url')

/**
 * A service that does what the model says, for tests of everything around the model. Where the contract leaves a choice,
 * `choose` makes it.
 * @implements {Pick<import('./instances.js').Instances, 'run' | 'emails'>}
 */
export class FakeService {
  #texts = 0

  /**
   * @param {'a' | 'b'} profile
   * @param {() => number} now
   * @param {(count: number) => number} [choose] default: the first
   * @param {import('./model/state.js').AddOns} [addOns]
   */
  constructor(profile, now, choose = () => 0, addOns = noAddOns) {
    this.now = now
    this.choose = choose
    this.state = newState(profile, now(), addOns)
  }

  /** What the service does wrong: changes the state after an action. @type {(after: State, action: Action, before: State) => void} */
  fault = () => {}

  /** What it overlooks: changes the state that an action finds. @type {(seen: State, action: Action) => void} */
  overlook = () => {}

  /** @param {Action} action @returns {Promise<import('./instances.js').Reply>} */
  async run(action) {
    // Of two at once, either may be the first.
    if (this.choose(2) === 1) await null
    return this.do(action)
  }

  /** @param {Action} action */
  do(action) {
    const before = { ...this.state, now: this.now() }
    const seen = structuredClone(before)
    this.overlook(seen, action)
    const outcomes = step(seen, action)
    const { answer, state } = /** @type {typeof outcomes[0]} */ (outcomes[this.choose(outcomes.length)])
    this.#texts += 1
    const sid = Buffer.from(JSON.stringify({ sid: this.#texts })).toString('base64url')
    const made = {
      access_token: `a.${sid}`,
      refresh_token: `r${this.#texts}`,
      cookie: cookieText(`session=${cookieOf(this.#texts)}`),
      token: `t${this.#texts}`,
      mfa_token: `m${this.#texts}`,
      secret: base32(this.#texts),
      recovery_codes: Array.from({ length: 10 }, (_, index) => `r${this.#texts}-${index}`),
      options: { challenge: `c${this.#texts}`, user: { id: `h${this.#texts}` } },
      id: this.#texts,
      provider_code: `p${this.#texts}`,
      link: `l${this.#texts}`,
      username: `user-${this.#texts}`,
      identities: Array.from({ length: 9 }, (_, index) => ({ id: 10 * this.#texts + index })),
    }
    answer.learn?.(state, made)
    this.fault(state, action, before)
    this.state = state
    const { status, code, body } = answer
    return { status, body: { ...made, ...body, ...(code && { code }) } }
  }

  /** @param {string} kind @param {number} index */
  #tokenText(kind, index) {
    const digits = String(this.#texts).padStart(8, '0').replace(/....$/, '-$&')
    return kind === 'emailed' ? `E${100 + index}-${digits}-ABCD` : `e${this.#texts}-${index}`
  }

  async emails() {
    return this.read()
  }

  /** Hands over the emails that are queued. @returns {import('./instances.js').Message[]} */
  read() {
    /** @type {{ emails: import('./model/arrivals.js').Expected[] }} */
    const { emails: expected } = /** @type {any} */ (this.do({ type: 'read-emails' }).body)
    const sent = expected.filter(({ must }) => must || this.choose(2) === 0)
    const arrived = sent.map((email, index) => ({
      to: email.to,
      sort: sortOf(email),
      body: `${email.name}${email.kind === 'reset with additions' ? ', a passkey' : ''}`,
      token: email.token === undefined ? undefined : this.#tokenText(email.kind, index),
    }))
    const difference = compareEmails(this.state, expected, arrived)
    if (difference !== undefined) throw new Error(difference)
    return arrived.map(({ to, sort, body: name, token }) => {
      if (sort === 'emailed') return { to, subject: '', text: `${name}\n${token}` }
      const page = pages[/** @type {keyof typeof pages} */ (sort)]
      const link = token
        ? `https://example.com/${page}#token=${token} AAAA-BBBB-CCCC-DDDD ${sort === 'login' ? 'log in' : sort}`
        : ''
      return { to, subject: '', text: `${name}\n${link}` }
    })
  }
}
