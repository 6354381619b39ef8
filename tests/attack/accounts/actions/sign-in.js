import { mayWork } from '../model/sign-in.js'
import { isLive } from '../model/state.js'
import { addApp, addPasskey, finishLogin, guess, logInByDevice, manage, meddle } from './factors.js'
import { cutIn, link, meddleWithIdentities, unlink, verifyLinked } from './identities.js'
import { exchange, openLink, readName, visit } from './visits.js'

/** @typedef {import('../model/sign-in.js').SignInToken} SignInToken */
/** @typedef {import('../model/step.js').Action} Action */
/** @typedef {import('./choose.js').Situation} Situation */
/** @typedef {import('./generate.js').Maker} Maker */

/** Someone takes back what was added, with the token of a reset. @param {Situation} situation @returns {Action | undefined} */
function takeBack({ state, random }) {
  const used = state.signInTokens.filter((token) => token.kind === 'additions')
  const live = used.findLast((token) => mayWork(state, token))
  const token = random.chance(0.8) ? live : random.one(used)
  if (token) return { type: 'undo-additions', token: token.text }
  const user = random.one(
    state.users.filter(({ factors }) => factors.totp ?? factors.passkeys[0] ?? factors.identities[0]),
  )
  const reset = state.tokens.findLast(
    (each) => each.kind === 'reset' && each.text && each.user === user?.key && isLive(state, each),
  )
  if (reset && random.chance(0.1)) return { type: 'undo-additions', token: reset.text }
  if (reset) return { type: 'reset', token: reset.text, password: 'Better-Horse-8' }
  return user && { type: 'forgot', email: user.email }
}

/** Adding takes a verified address. @param {Situation} situation @returns {Action | undefined} */
function verifyNew({ state, random }) {
  const live = state.tokens.filter((each) => each.kind === 'verification' && each.text && isLive(state, each))
  const token = random.one(live)?.text
  return token === undefined ? undefined : { type: 'verify', token }
}

/** An operator leaves a user only their passkeys and identities. @param {Situation} situation @returns {Action | undefined} */
function strand({ state, random, pool }) {
  const user = random.one(
    state.users.filter(({ factors }) => factors.passkeys.length + factors.identities.length > 0),
  )
  const email = random.one(pool.addresses)
  return user && email !== user.email ? { type: 'user set-email', user: user.name, email } : undefined
}

/** @param {Situation} situation @returns {Action | undefined} */
function resetFactors({ state, random }) {
  const user = random.one(state.users.filter(({ isClaimed }) => isClaimed))
  return user && { type: 'user reset-mfa', user: user.name }
}

/** @param {Maker} maker @returns {Maker} */
const often = ([weight, make]) => [4 * weight, make]

/** What is done about second factors, passkeys and identities. @param {Situation} situation @returns {Maker[]} */
export function factorMakers({ state, isAboutIdentities }) {
  const { totp, passkeys, oidc } = state.settings.addOns
  const hasFactors = totp || passkeys
  const has = (/** @type {SignInToken['kind']} */ kind, isIt = (/** @type {SignInToken} */ _token) => true) =>
    state.signInTokens.some((token) => token.kind === kind && mayWork(state, token) && isIt(token))
  /** One that may be used up, but whose time is not over. @param {'link' | 'code'} kind */
  const wasSeen = (kind) =>
    state.signInTokens.some((token) => token.kind === kind && token.expiresAt > state.now)
  /** @type {Maker[]} */
  const ofAll = [
    [12, verifyNew],
    [hasFactors ? 20 : 0, manage],
    [has('additions') ? 8 : 3, takeBack],
    [hasFactors ? 3 : 0, meddle],
    [0.7, resetFactors],
  ]
  /** @type {Maker[]} */
  const ofTotp = [
    [40, addApp],
    [has('login') ? 60 : 1, finishLogin],
    [4, guess],
  ]
  /** @type {Maker[]} */
  const ofPasskeys = [
    [25, addPasskey],
    [10, logInByDevice],
    [0.7, strand],
  ]
  const isLinking = has('code', ({ session }) => session !== undefined)
  /** @type {Maker[]} */
  const ofOidc = [
    [15, visit],
    [isLinking ? 120 : has('code') ? 60 : wasSeen('code') ? 12 : 1, exchange],
    [has('code') ? 8 : 0, cutIn],
    [30, link],
    [has('link') ? 70 : wasSeen('link') ? 12 : 1, openLink],
    [15, unlink],
    [10, verifyLinked],
    [10, readName],
    [2, meddleWithIdentities],
    [0.7, strand],
  ]
  return [
    ...(hasFactors || oidc ? ofAll : []),
    ...(totp ? ofTotp : []),
    ...(passkeys ? ofPasskeys : []),
    ...(oidc ? (isAboutIdentities ? ofOidc.map(often) : ofOidc) : []),
  ]
}
