import { stepAt } from '../../../support/totp-codes.js'
import { mayWork } from '../model/sign-in.js'

/** @typedef {import('../model/state.js').State} State */
/** @typedef {import('../model/state.js').User} User */
/** @typedef {import('../model/sign-in.js').SignInToken} SignInToken */
/** @typedef {import('../model/step.js').Action} Action */
/** @typedef {import('./choose.js').Situation} Situation */

/** Where thieves are. */
export const elsewhere = '203.0.113.9'

/** What a user proves, and how it is sent: a pending login, or a session with its access token. @typedef {{ login: SignInToken } | { session: number, access: string | undefined }} Asked */

/** The tokens of a kind that work and are known. @param {State} state @param {SignInToken['kind']} kind @param {(token: SignInToken) => boolean} [isIt] */
export const liveTokens = (state, kind, isIt = () => true) =>
  state.signInTokens.filter(
    (token) => token.kind === kind && token.text && mayWork(state, token) && isIt(token),
  )

/** Those that are known, also such that work no longer. @param {State} state @param {SignInToken['kind']} kind */
export const knownTokens = (state, kind) =>
  state.signInTokens.filter((token) => token.kind === kind && token.text)

/** One of the newest, mostly of those that work. @param {Situation} situation @param {SignInToken['kind']} kind @param {number} chance that it is one of those */
export function newToken({ state, random }, kind, chance) {
  const live = liveTokens(state, kind)
  const isLive = live.length > 0 && random.chance(chance)
  return random.one(isLive ? live.slice(-2) : knownTokens(state, kind).slice(-4))
}

/** The code of an app, mostly one that was not used. @param {Situation} situation @param {User} user */
function codeFor({ state, random }, user) {
  const { totp } = user.factors
  if (!totp) return undefined
  const isUsed = totp.lastStep >= stepAt(state.now)
  const drift = random.weighted([
    [8, isUsed ? 1 : 0],
    [1, -1],
    [1, 1],
    [1, totp.lastStep - stepAt(state.now)],
    [1, 3],
  ])
  return { app: totp.secret, drift }
}

/** What a device signs, for a passkey that may count. @param {Situation} situation @param {User} user @param {SignInToken} challenge */
export function signedFor({ state, random }, user, challenge) {
  const others = state.users.flatMap(({ factors }) => factors.passkeys)
  const passkey = random.one(random.chance(0.95) ? user.factors.passkeys : others)
  if (!passkey) return undefined
  const { device, counter } = passkey
  const isCopy = counter > 0 && random.chance(0.1)
  return { device, challenge: challenge.text, counter: counter === 0 || isCopy ? counter : counter + 1 }
}

/** @param {Asked} asked @param {SignInToken} token */
const isFor = (asked, { purpose, login, session }) =>
  purpose === 'proof' && ('login' in asked ? login === asked.login.key : session === asked.session)

/**
 * The fields that prove a second factor, or the request for what a device has to sign first.
 * @param {Situation} situation @param {User} user @param {Asked} asked
 * @returns {{ fields: object } | { first: Action }}
 */
function proofFor(situation, user, asked) {
  const { state, random } = situation
  const { totp, codes, spent, passkeys } = user.factors
  const others = state.users.flatMap(({ factors }) => factors.codes)
  const own = liveTokens(state, 'challenge', (token) => isFor(asked, token))
  // Who asked for a challenge mostly signs it.
  const byPasskey = own.length > 0 ? 40 : 8
  const way = random.weighted([
    [totp ? 10 : 1, 'code'],
    [codes.length > 0 ? 2 : 0, 'recovery'],
    [passkeys.length > 0 ? byPasskey : 0, 'passkey'],
    [0.5, 'spent'],
    [0.3, 'another'],
    [0.3, 'spent challenge'],
    [0.2, 'nothing'],
  ])
  if (way === 'recovery') return { fields: { recovery: random.one(codes)?.text } }
  if (way === 'spent') return { fields: { recovery: random.one(spent) ?? '00000-00000' } }
  if (way === 'another') return { fields: { recovery: random.one(others)?.text ?? '00000-00000' } }
  if (way === 'nothing') return { fields: {} }
  if (way === 'code') return { fields: codeFor(situation, user) ?? { code: '000000' } }
  const spentOnes = state.signInTokens.filter(
    ({ kind, text, isVoid }) => kind === 'challenge' && text && isVoid,
  )
  const challenge = random.one(way === 'passkey' ? own : spentOnes)
  const fields = challenge && signedFor(situation, user, challenge)
  if (fields) return { fields }
  const about = 'login' in asked ? { mfa: asked.login.text } : { access: asked.access }
  return state.settings.addOns.passkeys ? { first: { type: 'mfa-options', ...about } } : { fields: {} }
}

/**
 * An action with a proof, or what comes before it.
 * @param {Situation} situation @param {User} user @param {Asked} asked @param {Action} action
 */
export function proved(situation, user, asked, action) {
  const proof = proofFor(situation, user, asked)
  const from = situation.random.chance(0.1) ? { client: elsewhere } : {}
  return 'first' in proof ? proof.first : { ...action, ...proof.fields, ...from }
}
