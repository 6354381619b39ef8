import { isLive } from '../model/state.js'
import { redeem } from './changes.js'
import { accessOf, passwords } from './choose.js'
import { knownTokens } from './proofs.js'
import { subjectsOf } from './visits.js'

/** @typedef {import('./choose.js').Situation} Situation */
/** @typedef {import('../model/step.js').Action} Action */

/** @type {Pick<import('../model/factors.js').Factors, 'totp' | 'codes' | 'spent'>} */
const noFactors = { totp: null, codes: [], spent: [] }

/** @template Item @param {import('../random.js').Random} random @param {Item[]} items */
const shuffled = (random, items) =>
  items
    .map((item) => ({ item, order: random.below(2 ** 30) }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)

/** @typedef {(situation: Situation) => Action[]} Part */

/** @type {Part[]} */
const ofAll = [
  ({ state }) => state.sessions.slice(-10).map((session) => ({ type: 'me', access: accessOf(session) })),
  ({ state }) =>
    state.users.flatMap((user) => [
      ...passwords.map((password) => ({ type: 'login', login: user.name, password })),
      { type: 'login', by: 'email', login: user.email, password: user.password ?? passwords[0] },
    ]),
  ({ state }) =>
    state.sessions
      .slice(-10)
      .map((session) => ({ type: 'refresh', refresh: session.refresh.at(-1) ?? 'none' })),
  ({ state, random }) =>
    shuffled(random, state.tokens.filter(({ text }) => text).slice(-16)).map((token) =>
      redeem(token, accessOf(state.sessions.findLast((each) => each.user === token.user))),
    ),
  ({ pool }) =>
    pool.addresses.map((email, index) => {
      const name = email.replace(/@.*/, `new${index}`)
      return { type: 'register', name, email, password: passwords[0] }
    }),
  ({ pool }) =>
    pool.names.map((name) => ({
      type: 'register',
      name,
      email: `${name}.new@example.com`,
      password: passwords[0],
    })),
]

/** Everyone whose password is known finishes their logins, with every answer that ever was right. @type {Part[]} */
const ofTotp = [
  ({ state }) =>
    knownTokens(state, 'login')
      .slice(-8)
      .flatMap(({ text: mfa, user }) => {
        const { totp, codes, spent } = state.users.find(({ key }) => key === user)?.factors ?? noFactors
        const recovery = [spent.at(-1), codes[0]?.text].filter((text) => text !== undefined)
        return [
          ...recovery.map((text) => ({ type: 'mfa-login', mfa, recovery: text })),
          ...(totp ? [{ type: 'mfa-login', mfa, app: totp.secret, drift: 1 }] : []),
        ]
      }),
  ({ state }) => knownTokens(state, 'additions').map(({ text }) => ({ type: 'undo-additions', token: text })),
  // Whoever reads the mailbox gets in, whatever was added in the last days.
  ({ state }) => state.users.map(({ email }) => ({ type: 'forgot', email })),
  ({ state }) =>
    state.tokens
      .filter((token) => token.kind === 'reset' && token.text && isLive(state, token))
      .flatMap(({ text: token, user }) => [
        { type: 'reset', token, password: passwords[0] },
        { type: 'undo-additions', token },
        { type: 'login', login: state.users.find(({ key }) => key === user)?.name, password: passwords[0] },
      ]),
]

/** Every device tries what it was asked before, and a challenge of its own. @type {Part[]} */
const ofPasskeys = [
  ({ state }) =>
    state.users.flatMap(({ factors }) => factors.passkeys.map(() => ({ type: 'passkey-login-options' }))),
  ({ state }) => {
    const challenges = knownTokens(state, 'challenge').toReversed()
    return state.users
      .flatMap(({ factors }) => factors.passkeys)
      .flatMap(({ device, counter }, index) =>
        [challenges[index], challenges.at(-1 - index)].map((challenge, more) => ({
          ...{ type: 'passkey-login', device, challenge: challenge?.text ?? 'none' },
          counter: counter === 0 ? 0 : counter + 1 + more,
        })),
      )
  },
]

/** Everyone signs in with the provider, and goes on with whatever code was ever seen. @type {Part[]} */
const ofOidc = [
  ({ state }) =>
    state.sessions.slice(-6).map((session) => ({ type: 'identities', access: accessOf(session) })),
  ({ state, pool }) =>
    knownTokens(state, 'link')
      .slice(-3)
      .map(({ text: link }) => ({
        ...{ type: 'provider-link-visit', link },
        subject: `at ${pool.names[0]}`,
      })),
  ({ state }) =>
    knownTokens(state, 'code')
      .slice(-6)
      .map(({ text: oneTime, verifier, session: asked }) => ({
        ...{ type: 'provider-exchange', oneTime, verifier },
        access: accessOf(state.sessions.find(({ key }) => key === asked)),
      })),
  (situation) =>
    subjectsOf(situation).map((subject) => ({
      ...{ type: 'provider-visit', subject, verifier: subject },
      // Nobody new.
      email: undefined,
    })),
  ({ state }) =>
    knownTokens(state, 'code').flatMap(({ text: oneTime, verifier, session }) =>
      session ? [] : [{ type: 'provider-exchange', oneTime, verifier }],
    ),
]

/**
 * Tries everything that anyone may still have at the end of a sequence: tokens, passwords, devices, addresses and names.
 * Each part changes what those after it find.
 * @param {import('../model/state.js').AddOns} addOns
 */
export const epilogueOf = ({ totp, passkeys, oidc }) => [
  ...(oidc ? ofOidc : []),
  ...(passkeys ? ofPasskeys : []),
  ...(totp ? ofTotp : []),
  ...ofAll,
]
