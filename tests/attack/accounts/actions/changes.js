import { isLive, requestOf, undoTokens } from '../model/state.js'
import {
  accessOf,
  isOnline,
  onlineSession,
  passwordOf,
  passwords,
  sessionOf,
  spelled,
  tokenOf,
  userOf,
} from './choose.js'
import { enterByProvider } from './visits.js'

/** @typedef {import('../model/state.js').User} User */
/** @typedef {import('../model/state.js').Token} Token */
/** @typedef {import('../model/step.js').Action} Action */
/** @typedef {import('./choose.js').Situation} Situation */

/** @param {Situation} situation @param {User | undefined} [user] @returns {Action} */
export function put(situation, user = userOf(situation)) {
  const { state, random, pool } = situation
  if (user && !onlineSession(state, user) && random.chance(0.8)) return enter(situation, user)
  const session = sessionOf(situation, user)
  const former = user && random.one(undoTokens(state, user))?.email
  const email = random.weighted([
    [5, random.one(pool.addresses)],
    [3, former],
    [1, user?.email],
    [1, user?.request?.email],
  ])
  const isFresh = session && state.now - session.loggedInAt < 9 * 60_000
  const password = random.chance(isFresh ? 0.2 : 0.8) ? passwordOf(situation, user) : undefined
  const address = spelled(random, email ?? random.one(pool.addresses) ?? '')
  return { type: 'put', access: accessOf(session), email: address, password }
}

/** The way of a user to a session. @param {Situation} situation @param {User} user @returns {Action} */
export const enter = (situation, user) => {
  const { state, random } = situation
  const { key, name, email, password } = user
  const hasIdentity = user.factors.identities.length > 0
  if (hasIdentity && random.chance(password === null ? 0.9 : 0.3)) return enterByProvider(situation, user)
  const token = state.tokens.findLast(
    (each) => each.kind === 'reset' && each.user === key && isLive(state, each),
  )
  if (password !== null) return { type: 'login', login: name, password }
  return token?.text
    ? { type: 'reset', token: token.text, password: passwords[0] }
    : { type: 'forgot', email }
}

/** Someone whose address can be taken back changes it again. @param {Situation} situation */
export function changeAgain(situation) {
  const { state, random } = situation
  const user = random.one(state.users.filter((each) => undoTokens(state, each).length > 0))
  return user && (onlineSession(state, user) ? put(situation, user) : enter(situation, user))
}

/** Someone confirms their change. @param {Situation} situation */
export function confirm(situation) {
  const { state, random } = situation
  const user = random.one(state.users.filter((each) => requestOf(state, each)))
  const text = user && state.tokens.find(({ key }) => key === user.request?.token)?.text
  if (!user || text === undefined) return undefined
  const session = onlineSession(state, user)
  return session ? { type: 'verify', token: text, access: accessOf(session) } : enter(situation, user)
}

/** So many requests that the limit of emails is reached. @param {Situation} situation */
export function flood(situation) {
  const one = put(situation)
  return Array.from({ length: 4 + situation.random.below(3) }, () => one)
}

/** @param {Situation} situation @param {Token | undefined} [token] */
export function verify(situation, token = tokenOf(situation, ['change', 'change', 'verification'])) {
  const { state, random } = situation
  if (!token) return undefined
  const user = state.users.find(({ key }) => key === token.user)
  const isOwn = random.chance(token.kind === 'change' ? 0.85 : 0.3)
  const session = isOwn ? sessionOf(situation, user) : random.chance(0.4) ? undefined : sessionOf(situation)
  return { type: 'verify', token: token.text, access: accessOf(session) }
}

/** A token that something else has ended. @param {Situation} situation @returns {Action | undefined} */
export function useVoid({ state, random }) {
  const all = state.tokens.filter(({ isVoid, text, expiresAt }) => isVoid && text && expiresAt > state.now)
  const token = random.one(all.slice(-4))
  const user = state.users.find(({ key }) => key === token?.user)
  if (!token || !user) return undefined
  return redeem(token, accessOf(onlineSession(state, user)))
}

/** The use of an emailed token. @param {Token} token @param {string | undefined} access @returns {Action} */
export function redeem({ kind, text }, access) {
  if (kind === 'login') return { type: 'email-login', token: text }
  if (kind === 'reset' || kind === 'undo') return { type: kind, token: text, password: passwords[1] }
  return { type: 'verify', token: text, access }
}

/** Something that ends a request, or looks like it, and what shows whether it did. @param {Situation} situation */
export function cancel(situation) {
  const { state, random } = situation
  const user = random.one(state.users.filter((each) => requestOf(state, each)))
  const asked = state.sessions.find(({ key }) => key === user?.request?.session)
  const online = state.sessions.filter((each) => each.user === user?.key && isOnline(state, each))
  const session = online.find((each) => each !== asked) ?? online[0]
  if (!user || !session) return undefined
  const access = accessOf(session)
  const text = state.tokens.find(({ key }) => key === user.request?.token)?.text
  /** @type {Action[]} */
  const all = [
    { type: 'put', access, email: user.email },
    { type: 'user end-sessions', user: user.name },
    { type: 'refresh', refresh: asked?.refresh[0] ?? 'none' },
  ]
  /** @type {Action[]} */
  const ofB = [
    { type: 'end-devices', access },
    { type: 'logout-all', access },
    { type: 'logout', refresh: asked?.refresh.at(-1) ?? 'none' },
    { type: 'change-password', access, password: user.password ?? 'none', next: passwords[1] },
    { type: 'end-device', access, id: asked?.id ?? 1 },
  ]
  const action = random.one(state.settings.profile === 'a' ? all : [...all, ...ofB])
  const look = { type: 'me', access }
  return (
    action && [
      action,
      text === undefined || random.chance(0.5) ? look : { ...look, type: 'verify', token: text },
    ]
  )
}
