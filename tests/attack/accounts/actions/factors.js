import { mayWork } from '../model/sign-in.js'
import { enter } from './changes.js'
import { accessOf, onlineSession, sessionOf } from './choose.js'
import { elsewhere, knownTokens, liveTokens, newToken, proved, signedFor } from './proofs.js'

/** @typedef {import('../model/state.js').User} User */
/** @typedef {import('../model/state.js').Session} Session */
/** @typedef {import('../model/step.js').Action} Action */
/** @typedef {import('./choose.js').Situation} Situation */

const freshMs = 9 * 60_000

/** A token of a session: what emails brought, or undefined if it has not arrived yet. @param {Situation} situation @param {Session} session */
export function emailedTo({ state, random }, { key, user }) {
  const own = state.signInTokens.findLast(
    (token) => token.kind === 'emailed' && token.session === key && mayWork(state, token),
  )
  // One of another session, now and then.
  const others = liveTokens(state, 'emailed', (token) => token.session !== key)
  const other = random.chance(0.05) ? random.one(others) : undefined
  const near = others.find((token) => token.user === user)
  const spent = state.signInTokens.findLast(
    (token) => token.kind === 'emailed' && token.session === key && token.text && token.isVoid === true,
  )
  if (spent && random.chance(0.15)) return { isAsked: true, text: spent.text }
  const text = (other ?? (random.chance(0.03) ? near : undefined) ?? own)?.text
  return { isAsked: own !== undefined, text: text && random.chance(0.1) ? text.toLowerCase() : text }
}

/** Someone online who may change their factors, or their way in. @param {Situation} situation @param {(user: User) => boolean} isOne @param {boolean} [takesFresh] */
export function changer(situation, isOne, takesFresh = true) {
  const { state, random } = situation
  const user = random.one(state.users.filter((each) => each.isActive && isOne(each)))
  if (!user) return undefined
  const session = onlineSession(state, user)
  const isStale = !session || (takesFresh && state.now - session.loggedInAt > freshMs)
  if (isStale && random.chance(0.85)) return { user, first: enter(situation, user) }
  return session && { user, session, access: accessOf(session) }
}

/** @param {User} user */
export const mostlyVerified = ({ isVerified, key }) => isVerified || key % 5 === 0

/** Someone adds an authenticator app, step by step. @param {Situation} situation @returns {Action | undefined} */
export function addApp(situation) {
  const { state, random } = situation
  const chosen = changer(situation, (user) => !user.factors.totp && mostlyVerified(user))
  if (!chosen?.session) return chosen?.first
  const { session, access } = chosen
  const secret = state.signInTokens.findLast(
    ({ kind, text, ...token }) => kind === 'setup' && text && token.session === session.key,
  )
  if (!secret || random.chance(0.03)) return { type: 'totp-setup', access }
  const drift = random.weighted([
    [8, 0],
    [1, 1],
    [1, -1],
    [1, 2],
  ])
  const { isAsked, text: emailed } = emailedTo(situation, session)
  if (isAsked && emailed === undefined) return undefined
  return { type: 'totp-confirm', access, app: secret.text, drift, emailed }
}

/** Someone adds a passkey, step by step. @param {Situation} situation @returns {Action | undefined} */
export function addPasskey(situation) {
  const { state, random } = situation
  const chosen = changer(situation, (user) => user.factors.passkeys.length < 3 && mostlyVerified(user))
  if (!chosen?.session) return chosen?.first
  const { user, session, access } = chosen
  const { isAsked, text: emailed } = emailedTo(situation, session)
  if (isAsked && emailed === undefined) return undefined
  const own = liveTokens(
    state,
    'challenge',
    ({ purpose, ...token }) => purpose === 'new' && token.session === session.key,
  )
  const any = state.signInTokens.filter(({ purpose, text }) => purpose === 'new' && text)
  const asked = random.chance(0.05) ? random.one(any) : own.at(-1)
  if (asked && random.chance(0.95)) {
    const { text: challenge, handle } = asked
    const known = state.users.flatMap(({ factors }) => factors.passkeys)
    const device =
      (random.chance(0.05) ? random.one(known)?.device : undefined) ??
      `device of ${situation.pool.names[0]} ${state.lastKey}`
    const name = random.one(['Phone', 'Laptop', 'Key'])
    return { type: 'passkey-add', access, emailed, name, device, challenge, handle, counter: random.below(2) }
  }
  const options = { type: 'passkey-options', access, emailed }
  const isConfirmed = state.signInTokens.some(
    (token) => token.kind === 'confirmed' && token.session === session.key && mayWork(state, token),
  )
  if (emailed === undefined || isConfirmed || !user.factors.totp) return options
  return proved(situation, user, { session: session.key, access }, options)
}

/** Someone with a factor changes or removes what they have. @param {Situation} situation @returns {Action | undefined} */
export function manage(situation) {
  const { state, random } = situation
  const { addOns } = state.settings
  const chosen = changer(situation, ({ factors }) => factors.totp !== null || factors.passkeys.length > 0)
  if (!chosen?.session) return chosen?.first
  const { user, session, access } = chosen
  const { totp, passkeys } = user.factors
  const anyone = random.one(state.users)?.factors.passkeys ?? []
  const id = random.one(random.chance(0.9) ? passkeys : anyone)?.id ?? 1
  const emailed = totp ? undefined : emailedTo(situation, session).text
  const type = random.weighted([
    [totp ? 4 : 0.5, 'totp-disable'],
    [totp ? 3 : 0.3, 'recovery-codes'],
    [addOns.passkeys ? 4 : 0, 'passkey-remove'],
    [addOns.passkeys ? 1 : 0, 'passkey-rename'],
    [addOns.passkeys ? 2 : 0, 'passkeys'],
    [addOns.totp ? 2 : 0, 'mfa'],
    [addOns.totp ? 0.5 : 0, 'totp-setup'],
  ])
  /** @type {Action} */
  const action = { type, access, id, emailed, name: 'Another' }
  if (!/disable|codes|remove/.test(type) || (type === 'passkey-remove' && !totp)) return action
  // Whether a code that is not needed counts is left open.
  if (type === 'totp-disable' && session.isByRecovery) return action
  const { recovery, ...made } = proved(situation, user, { session: session.key, access }, action)
  return type === 'recovery-codes' ? made : { ...made, recovery }
}

/** What a thief with any token asks of the factors. @param {Situation} situation @returns {Action | undefined} */
export function meddle(situation) {
  const { state, random } = situation
  const session = sessionOf(situation)
  const access = accessOf(session)
  const { totp: hasTotp, passkeys: hasPasskeys } = state.settings.addOns
  const emailed = random.one(knownTokens(state, 'emailed'))?.text
  const id = random.one(state.users.flatMap(({ factors }) => factors.passkeys))?.id ?? 1
  const types = [
    ...(hasTotp ? ['mfa', 'totp-setup', 'totp-confirm', 'totp-disable', 'recovery-codes'] : []),
    ...(hasPasskeys ? ['passkeys', 'passkey-options', 'passkey-rename', 'passkey-remove'] : []),
  ]
  const sent = random.chance(0.5) ? { emailed } : {}
  return { type: random.one(types) ?? 'me', access, id, name: 'Mine', client: elsewhere, ...sent }
}

/** Someone whose password was right goes on, or a thief of it. @param {Situation} situation @returns {Action | undefined} */
export function finishLogin(situation) {
  const { state } = situation
  const login = newToken(situation, 'login', 0.95)
  const user = state.users.find(({ key }) => key === login?.user)
  if (!login || !user) return undefined
  return proved(situation, user, { login }, { type: 'mfa-login', mfa: login.text })
}

/** A thief guesses, for as long as it takes to be refused. @param {Situation} situation @returns {Action[] | undefined} */
export function guess({ state, random }) {
  const user = random.one(state.users.filter(({ factors }) => factors.totp))
  const login = liveTokens(state, 'login').find((token) => token.user === user?.key)
  const from = random.chance(0.7) ? { client: elsewhere } : {}
  if (user && !login) return [{ type: 'login', login: user.name, password: user.password ?? 'none' }]
  const way = random.chance(0.8) ? { code: '0000000' } : { recovery: '00000-00000' }
  return login && Array.from({ length: 5 }, () => ({ type: 'mfa-login', mfa: login.text, ...way, ...from }))
}

/** Someone logs in with a device. @param {Situation} situation @returns {Action | undefined} */
export function logInByDevice(situation) {
  const { state, random } = situation
  const user = random.one(state.users.filter(({ factors }) => factors.passkeys.length > 0))
  const live = liveTokens(state, 'challenge', ({ purpose }) => purpose === 'login')
  const any = knownTokens(state, 'challenge')
  const used = any.filter(({ purpose, isVoid }) => purpose === 'login' && isVoid)
  const kind = random.weighted([
    [7, live],
    [2, used],
    [1, any],
  ])
  const challenge = random.one(kind.slice(-3))
  if (!user && random.chance(0.9)) return undefined
  if (!user || !challenge) return { type: 'passkey-login-options' }
  const signed = signedFor(situation, user, challenge)
  return signed && { type: 'passkey-login', ...signed }
}
