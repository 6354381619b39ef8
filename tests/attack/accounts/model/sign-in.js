import { refused, startSession } from './access.js'
import { newKey } from './state.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').User} User */
/** @typedef {import('./access.js').Answer} Answer */
/** @typedef {import('./emails.js').Either} Either */

/**
 * What waits between two requests of a login, or of a change of factors.
 * `login`: a login that lacks the second factor. `emailed`: what adding takes. `setup`: an app that is not confirmed.
 * `confirmed`: what a session gave for its next passkeys. `challenge`: what a device signs. `additions`: the token of a
 * reset, after it. `link`: a flow to the provider that adds an identity. `code`: what it leads to, and the one-time code of a
 * login. `isVoid` is 'open' where the contract does not say whether it still works.
 * @typedef {object} SignInToken
 * @property {number} key
 * @property {'login' | 'emailed' | 'setup' | 'confirmed' | 'challenge' | 'additions' | 'link' | 'code'} kind
 * @property {number} [user]
 * @property {number | undefined} [session] to which alone it belongs
 * @property {'login' | 'new' | 'proof'} [purpose] of a challenge
 * @property {number | undefined} [login] the pending login that a challenge is for
 * @property {number} [since] what was added then or later is removed
 * @property {number} expiresAt
 * @property {boolean | 'open'} isVoid
 * @property {number} tries wrong ones
 * @property {number} openTries those that may not count
 * @property {string} [text] a secret of a `setup`. Unknown until the service or an email has told it
 * @property {string} [handle] of the user, for a new passkey
 * @property {string} [subject] at the provider
 * @property {string | null} [email] there
 * @property {string | undefined} [verifier] of the front end that began a flow
 * @property {number | undefined} [emailed] the emailed token that allowed a link
 * @property {boolean | undefined} [isProved] whether a second factor allowed it too
 */

const minuteMs = 60_000

/** How long each works, in milliseconds. A secret that waits outlives the emailed token of its session. */
const lifetimes = {
  login: 5 * minuteMs,
  emailed: 30 * minuteMs,
  setup: Number.POSITIVE_INFINITY,
  confirmed: 5 * minuteMs,
  challenge: 5 * minuteMs,
  link: 10 * minuteMs,
  code: minuteMs,
}

/** Logins that wait. @type {SignInToken['kind'][]} */
export const pending = ['login', 'code']

/** Those that are over are kept for a while: someone may try them again. */
const maxTokens = 60

/**
 * @param {State} state
 * @param {Pick<SignInToken, 'kind'> & Partial<SignInToken>} about
 * @returns {SignInToken}
 */
export function addToken(state, about) {
  const lifetimeMs = lifetimes[/** @type {keyof typeof lifetimes} */ (about.kind)]
  const added = { key: newKey(state), expiresAt: state.now + lifetimeMs, ...about }
  const token = { isVoid: false, tries: 0, openTries: 0, ...added }
  const isOver = (/** @type {SignInToken} */ each) => each.isVoid === true || each.expiresAt <= state.now
  const oldest = state.signInTokens.length >= maxTokens ? state.signInTokens.findIndex(isOver) : -1
  if (oldest >= 0) state.signInTokens.splice(oldest, 1)
  state.signInTokens.push(token)
  return token
}

/** Notes in a state what only the service knows of a token. @param {SignInToken} token @param {(body: any) => Partial<SignInToken>} read */
export const learnToken =
  ({ key }, read) =>
  (/** @type {State} */ { signInTokens }, /** @type {any} */ body) => {
    const token = signInTokens.find((each) => each.key === key)
    if (token) Object.assign(token, read(body))
  }

/** @param {State} state @param {SignInToken} token */
export const mayWork = ({ now }, { isVoid, expiresAt }) => isVoid !== true && expiresAt > now

/**
 * The newest token of a kind that works.
 * @param {State} state @param {SignInToken['kind']} kind @param {(token: SignInToken) => boolean} isIt @param {Either} either
 */
export function findToken(state, kind, isIt, either) {
  const token = state.signInTokens.findLast(
    (each) => each.kind === kind && mayWork(state, each) && isIt(each),
  )
  // One that depends on the address may work again when that is back.
  const spent = kind === 'additions' ? 'open' : true
  if (token?.isVoid === 'open') token.isVoid = either(`does this ${kind} still work?`) ? false : spent
  return token?.isVoid === false ? token : undefined
}

/** @type {SignInToken['kind'][]} */
const all = ['login', 'emailed', 'setup', 'confirmed', 'challenge', 'link', 'code']

/**
 * Ends tokens of a user. The one of a reset may outlive it.
 * @param {State} state @param {User} user
 * @param {SignInToken['kind'][]} [kinds] that end by the contract. Whether others end is left open
 */
export function endTokens(state, user, kinds = all) {
  for (const token of state.signInTokens)
    if (token.user === user.key && token.isVoid !== true) token.isVoid = kinds.includes(token.kind) || 'open'
}

/** What proved a user is right, and is no session. @param {State} state @param {User} user @returns {Answer} */
function askForFactor(state, { key: user, factors: { codes, passkeys } }) {
  const token = addToken(state, { kind: 'login', user })
  const others = [...(codes.length > 0 ? ['recovery_code'] : []), ...(passkeys.length > 0 ? ['passkey'] : [])]
  const body = { expires_in: 300, factors: ['totp', ...others], access_token: undefined }
  return {
    ...refused(401, 'mfa_required'),
    body,
    learn: learnToken(token, ({ mfa_token: text }) => ({ text })),
  }
}

/** After a password, a provider or an emailed token. @param {State} state @param {User} user */
export const goOn = (state, user) =>
  user.factors.totp ? askForFactor(state, user) : startSession(state, user)
