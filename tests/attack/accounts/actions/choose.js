import { isOpen } from '../model/access.js'
import { promptedPassword } from '../model/commands.js'
import { isLive } from '../model/state.js'

/** @typedef {import('../model/state.js').State} State */
/** @typedef {import('../model/state.js').User} User */
/** @typedef {import('../model/state.js').Session} Session */
/** @typedef {import('../model/state.js').Token} Token */
/** @typedef {import('../random.js').Random} Random */

/** @typedef {{ names: string[], addresses: string[] }} Pool the names of a sequence */
/**
 * `isAboutFactors`: second factors and passkeys are used more than anything else, if the service has them.
 * `isAboutIdentities`: and among them, accounts at the provider.
 * @typedef {{ state: State, random: Random, pool: Pool, isAboutFactors: boolean, isAboutIdentities: boolean }} Situation
 */

export const passwords = [promptedPassword, 'Better-Horse-8', 'Other-Horse-9']

/** @param {string} prefix @returns {Pool} */
export const poolOf = (prefix) => ({
  names: ['ann', 'bob', 'cid', 'dan'].map((name) => prefix + name),
  addresses: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${prefix}${name}@example.com`),
})

/** The newest access token of a session. @param {Session | undefined} session */
export const accessOf = (session) => session?.access.at(-1)?.text

/** Whether the newest access token of a session works. @param {State} state @param {Session} session */
export const isOnline = (state, session) =>
  isOpen(state, session) && (session.access.at(-1)?.expiresAt ?? 0) > state.now

/** @param {State} state @param {User} user */
export const onlineSession = (state, user) =>
  state.sessions.findLast((session) => session.user === user.key && isOnline(state, session))

/** A session of a user, mostly one that works. @param {Situation} situation @param {User} [user] */
export function sessionOf({ state, random }, user) {
  const all = state.sessions.filter(
    ({ access, ...session }) => access[0] && (!user || session.user === user.key),
  )
  const online = all.filter((session) => isOnline(state, session))
  return online.length > 0 && random.chance(0.95) ? random.one(online.slice(-3)) : random.one(all)
}

/** A session of somebody else, that works. @param {Situation} situation @param {User | undefined} user */
export const strangersSession = ({ state, random }, user) =>
  random.one(state.sessions.filter((session) => session.user !== user?.key && isOnline(state, session)))

/** A user, mostly one who is logged in. @param {Situation} situation */
export function userOf({ state, random }) {
  const online = state.users.filter((user) => onlineSession(state, user))
  return online.length > 0 && random.chance(0.9) ? random.one(online) : random.one(state.users)
}

/** A token that arrived, mostly one that works. @param {Situation} situation @param {Token['kind'][]} kinds */
export function tokenOf({ state, random }, kinds) {
  const all = state.tokens.filter(({ kind, text }) => kinds.includes(kind) && text)
  const live = all.filter((token) => isLive(state, token))
  return live.length > 0 && random.chance(0.8) ? random.one(live.slice(-3)) : random.one(all)
}

/** @param {Situation} situation @param {User | undefined} user */
export const passwordOf = ({ random }, user) =>
  (random.chance(0.85) ? user?.password : undefined) ?? random.one(passwords)

/** @param {Random} random @param {string} text */
export const spelled = (random, text) => (random.chance(0.1) ? text.toUpperCase() : text)
