import { isLive, requestOf } from '../model/state.js'
import { put } from './changes.js'
import { accessOf, onlineSession, passwords, sessionOf } from './choose.js'
import { addApp, addPasskey, finishLogin, logInByDevice, manage } from './factors.js'
import { makers } from './generate.js'
import { unlink } from './identities.js'
import { elsewhere } from './proofs.js'
import { exchange } from './visits.js'

/** @typedef {import('./choose.js').Situation} Situation */
/** @typedef {import('../model/step.js').Action} Action */

/** What can happen to a user at the moment at which they confirm a change. @type {((situation: Situation, user: import('../model/state.js').User, confirmation: Action) => Action | undefined)[]} */
const rivals = [
  (_situation, _user, confirmation) => confirmation,
  (situation, user) => put(situation, user),
  (situation, user) => put(situation, user),
  ({ random, pool, state }, user) => {
    const name = random.one(pool.names.filter((each) => state.users.every((other) => other.name !== each)))
    return name
      ? { type: 'register', name, email: user.request?.email, password: random.one(passwords) }
      : undefined
  },
  (situation, user) => {
    const { state, random } = situation
    const others = state.users.filter((other) => other !== user)
    const session = sessionOf(situation, random.one(others))
    return {
      type: 'put',
      access: accessOf(session),
      email: user.request?.email,
      password: random.one(others)?.password ?? undefined,
    }
  },
  ({ state }, user) => {
    const reset = state.tokens.find(
      (each) => each.kind === 'reset' && each.user === user.key && isLive(state, each),
    )
    return reset?.text ? { type: 'reset', token: reset.text, password: passwords[1] } : undefined
  },
  ({ state }, user) => {
    const login = state.tokens.find(
      (each) => each.kind === 'login' && each.user === user.key && isLive(state, each),
    )
    return login?.text ? { type: 'email-login', token: login.text } : undefined
  },
  ({ state, random }, user) => {
    const live = state.tokens.filter(
      (each) => each.kind === 'undo' && each.user === user.key && isLive(state, each),
    )
    const text = random.one(live)?.text
    return text ? { type: 'undo', token: text } : undefined
  },
  (situation, user) => ({
    type: 'delete',
    access: accessOf(sessionOf(situation, user)),
    password: user.password ?? undefined,
  }),
  ({ state }, _user, { access }) =>
    state.settings.profile === 'b' ? { type: 'logout-all', access } : undefined,
  ({ random }, user) => {
    const type = random.one(['deactivate', 'end-sessions', 'password'])
    return user.isClaimed ? { type: `user ${type}`, user: user.name } : undefined
  },
  ({ state, random, pool }, user) => {
    const name = random.one(state.users.filter((other) => other !== user))?.name
    return name
      ? { type: 'user set-email', user: name, email: user.request?.email ?? pool.addresses[0] }
      : undefined
  },
]

/** Whatever works once is sent twice, or while its user loses access. @param {Situation} situation @returns {[Action, Action] | undefined} */
function raceOfFactors(situation) {
  const { state, random } = situation
  const chosen = random.one([
    ...[finishLogin, finishLogin, addApp, addPasskey, logInByDevice, manage],
    ...(state.settings.addOns.oidc ? [exchange, exchange, unlink] : []),
  ])?.(situation)
  const made = [chosen].flat().at(-1)
  const user = random.one(state.users)
  /** @type {(Action | undefined)[]} */
  const others = [
    made,
    made,
    made && 'type' in made ? { ...made, client: elsewhere } : undefined,
    user?.isClaimed
      ? { type: `user ${random.one(['end-sessions', 'reset-mfa'])}`, user: user.name }
      : undefined,
  ]
  const other = random.one(others)
  const isOpen =
    made &&
    /^(mfa-login|totp-|passkey-(add|login|remove)$|recovery-codes|provider-exchange$|identity-remove)/.test(
      made.type,
    )
  return isOpen && other ? [made, other] : undefined
}

/**
 * Actions that may be made at any moment, and change something. Not a logout: of two, the second one may find its session
 * alive or not, which changes nothing. @type {Set<string>} */
const open = new Set([
  'register',
  'login',
  'put',
  'verify',
  'reset',
  'email-login',
  'undo',
  'delete',
  'refresh',
  'change-password',
  'end-devices',
  'provider-visit',
  'provider-exchange',
])

/** Two actions at once, one at each instance. @param {Situation} situation @returns {[Action, Action] | undefined} */
export function raceOf(situation) {
  const { state, random, isAboutFactors } = situation
  if (isAboutFactors && random.chance(0.6)) return raceOfFactors(situation)
  const user = random.one(state.users.filter((each) => requestOf(state, each) && onlineSession(state, each)))
  const token = user && state.tokens.find(({ key, text }) => text && key === user.request?.token)
  if (user && token && random.chance(0.8)) {
    const own = onlineSession(state, user)
    const confirmation = { type: 'verify', token: token.text, access: accessOf(own) }
    const rival = random.one(rivals)?.(situation, user, confirmation)
    return rival && [confirmation, rival]
  }
  const any = () => {
    const made = random.weighted(makers(situation))(situation)
    return made && 'type' in made && open.has(made.type) ? made : undefined
  }
  const [one, other] = [any(), any()]
  return one && other && [one, other]
}
