import { stepOfCode } from '../../../support/totp-codes.js'
import { refused } from './access.js'
import { notify } from './emails.js'
import { findToken } from './sign-in.js'
import { dayMs } from './state.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').User} User */
/** @typedef {import('./state.js').Session} Session */
/** @typedef {import('./access.js').Answer} Answer */
/** @typedef {import('./emails.js').Either} Either */

/**
 * What a user has added, and what was guessed. `codes` are recovery codes. `wrong` counts codes by client, `passed` says
 * until when a client counts by itself.
 * @typedef {object} Factors
 * @property {{ secret: string, lastStep: number, createdAt: number } | null} totp
 * @property {{ text: string, createdAt: number }[]} codes
 * @property {string[]} spent recovery codes
 * @property {Passkey[]} passkeys the oldest first
 * @property {Identity[]} identities the oldest first
 * @property {Record<string, { count: number, endsAt: number }>} wrong
 * @property {Record<string, number>} passed
 */

/** @typedef {{ id: number, name: string, device: string, counter: number, createdAt: number }} Passkey */

/** An account at the provider. `id` is 0 until it was listed. @typedef {{ id: number, subject: string, email: string | null, createdAt: number }} Identity */

const maxWrongCodes = 20
const freshMs = 10 * 60_000

export const invalidCode = refused(400, 'invalid_code')

/** @param {State} state @param {User} user @param {Session} session */
export const isRecent = ({ now }, { factors }, { loggedInAt, isMfa }) =>
  now - loggedInAt <= freshMs && (!factors.totp || isMfa)

/**
 * @param {User} user @param {number} [since] only what was added then or later
 * @returns what was removed, as answers name it
 */
export function removeFactors({ factors }, since = Number.NEGATIVE_INFINITY) {
  const isNew = (/** @type {{ createdAt: number }} */ { createdAt }) => createdAt >= since
  const removed = [
    ...(factors.passkeys.some(isNew) ? ['passkey'] : []),
    ...(factors.identities.some(isNew) ? ['identity'] : []),
  ]
  factors.passkeys = factors.passkeys.filter((passkey) => !isNew(passkey))
  factors.identities = factors.identities.filter((identity) => !isNew(identity))
  if (factors.totp && isNew(factors.totp)) {
    removed.push('totp')
    removeTotp(factors)
  }
  factors.codes = factors.codes.filter((code) => !isNew(code))
  return removed
}

/** Recovery codes go with it. @param {Factors} factors */
export function removeTotp(factors) {
  factors.spent.push(...factors.codes.splice(0).map(({ text }) => text))
  factors.totp = null
}

/**
 * What is asked for: what confirms a session or a pending login. `client` sends it.
 * @typedef {{ session?: number, login?: number, client?: string | undefined }} Asked
 */

/**
 * What a request sends to prove a second factor. Of several, only the first counts.
 * @typedef {{ code?: string, recovery?: string, device?: string, challenge?: string, counter?: number }} Given
 */

/**
 * @param {State} state @param {User} user @param {Given} given @param {Asked} asked @param {Either} either
 * @returns {{ answer: Answer, method?: undefined } | { answer?: undefined, method: 'otp' | 'recovery' | 'passkey' | undefined }}
 */
export function prove(state, user, given, asked, either) {
  const { client } = asked
  const answer = given.code === undefined ? undefined : refuseGuess(state, user, client, either)
  if (answer) return { answer }
  const method = methodOf(state, user, given, asked, either)
  if (method) recordPass(state, user, client)
  else if (given.code !== undefined) countWrong(state, user, client)
  return { method }
}

/** A client that has passed the second factor counts by itself. @param {State} state @param {User} user @param {string} client */
const countedAs = ({ now }, { factors }, client) => ((factors.passed[client] ?? 0) > now ? client : '')

/**
 * Whether there were too many wrong codes: even a right one is refused, with one notice.
 * @param {State} state @param {User} user @param {string | undefined} client @param {Either} either
 * @returns {Answer | undefined}
 */
export function refuseGuess(state, user, client = 'home', either) {
  const { wrong } = user.factors
  const counted = countedAs(state, user, client)
  const { count = 0, endsAt = 0 } = wrong[counted] ?? {}
  if (count < maxWrongCodes || endsAt <= state.now) return undefined
  if ((wrong.notice?.endsAt ?? 0) <= state.now) {
    wrong.notice = { count: 1, endsAt: state.now + dayMs }
    notify(state, 'wrong codes', user.email, user, either)
  }
  return refused(429, 'too_many_requests')
}

/** @param {State} state @param {User} user @param {string} [client] */
export function countWrong(state, user, client = 'home') {
  const { wrong } = user.factors
  const counted = countedAs(state, user, client)
  const before = wrong[counted]
  wrong[counted] =
    before && before.endsAt > state.now
      ? { ...before, count: before.count + 1 }
      : { count: 1, endsAt: state.now + dayMs }
}

/** @param {State} state @param {User} user @param {string} [client] */
export function recordPass({ now }, { factors }, client = 'home') {
  factors.passed[client] = now + 30 * dayMs
}

/** @param {State} state @param {User} user @param {Given} given @param {Asked} asked @param {Either} either */
function methodOf(state, user, { code, recovery, ...signed }, asked, either) {
  const { factors } = user
  if (code !== undefined) {
    const step = factors.totp ? stepOfCode(factors.totp.secret, code, state.now) : undefined
    if (!factors.totp || step === undefined || step <= factors.totp.lastStep) return undefined
    factors.totp.lastStep = step
    return 'otp'
  }
  if (recovery !== undefined) {
    const index = factors.codes.findIndex(({ text }) => text === recovery)
    if (index < 0) return undefined
    factors.codes.splice(index, 1)
    factors.spent.push(recovery)
    notify(state, 'recovery code used', user.email, user, either)
    return 'recovery'
  }
  const isAsked = (/** @type {import('./sign-in.js').SignInToken} */ token) =>
    token.user === user.key && token.login === asked.login && token.session === asked.session
  return acceptPasskey(state, user, signed, 'proof', isAsked, either) ? 'passkey' : undefined
}

/**
 * Accepts what a device signed. Whether a wrong one uses up its challenge is left open.
 * @param {State} state @param {User | undefined} user @param {Given} signed
 * @param {'login' | 'proof'} purpose @param {(token: import('./sign-in.js').SignInToken) => boolean} isAsked
 * @param {Either} either
 */
export function acceptPasskey(state, user, { device, challenge, counter = 0 }, purpose, isAsked, either) {
  const isIt = (/** @type {import('./sign-in.js').SignInToken} */ token) => token.text === challenge
  const token = challenge === undefined ? undefined : findToken(state, 'challenge', isIt, either)
  const passkey = user?.factors.passkeys.find((each) => each.device === device)
  if (!token || token.purpose !== purpose) return false
  token.isVoid = 'open'
  const isAhead = passkey && (counter === 0 ? passkey.counter === 0 : counter > passkey.counter)
  if (!isAhead || !isAsked(token)) return false
  token.isVoid = true
  passkey.counter = counter
  return true
}
