import { compareEmails, sortOf } from './model/emails.js'
import { newState } from './model/state.js'
import { step } from './model/step.js'

/** @typedef {import('./model/state.js').State} State */
/** @typedef {import('./model/step.js').Action} Action */

const pages = { 'to verify': 'verify-email', reset: 'reset-password', undo: 'undo-email-change', notice: '' }

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
   */
  constructor(profile, now, choose = () => 0) {
    this.now = now
    this.choose = choose
    this.state = newState(profile, now())
  }

  /** What the service does wrong: changes the state after an action. @type {(after: State, action: Action, before: State) => void} */
  fault = () => {}

  /** @param {Action} action @returns {Promise<import('./instances.js').Reply>} */
  async run(action) {
    // Of two at once, either may be the first.
    if (this.choose(2) === 1) await null
    return this.do(action)
  }

  /** @param {Action} action */
  do(action) {
    const before = { ...this.state, now: this.now() }
    const outcomes = step(before, action)
    const { answer, state } = /** @type {typeof outcomes[0]} */ (outcomes[this.choose(outcomes.length)])
    this.#texts += 1
    const sid = Buffer.from(JSON.stringify({ sid: this.#texts })).toString('base64url')
    const made = {
      access_token: `a.${sid}`,
      refresh_token: `r${this.#texts}`,
      token: `t${this.#texts}`,
    }
    answer.learn?.(state, made)
    this.fault(state, action, before)
    this.state = state
    const { status, code, body } = answer
    return { status, body: { ...made, ...body, ...(code && { code }) } }
  }

  async emails() {
    return this.read()
  }

  /** Hands over the emails that are queued. @returns {import('./instances.js').Message[]} */
  read() {
    /** @type {{ emails: import('./model/emails.js').Expected[] }} */
    const { emails: expected } = /** @type {any} */ (this.do({ type: 'read-emails' }).body)
    const sent = expected.filter(({ must }) => must || this.choose(2) === 0)
    const arrived = sent.map((email, index) => ({
      to: email.to,
      sort: sortOf(email),
      body: email.name,
      token: email.token === undefined ? undefined : `e${this.#texts}-${index}`,
    }))
    const difference = compareEmails(this.state, expected, arrived)
    if (difference !== undefined) throw new Error(difference)
    return arrived.map(({ to, sort, body: name, token }) => {
      const page = pages[/** @type {keyof typeof pages} */ (sort)]
      const link = token ? `https://example.com/${page}#token=${token} AAAA-BBBB-CCCC-DDDD ${sort}` : ''
      return { to, subject: '', text: `${name}\n${link}` }
    })
  }
}
