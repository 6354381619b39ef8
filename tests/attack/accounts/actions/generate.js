import { isLive } from '../model/state.js'
import { cancel, changeAgain, confirm, flood, put, useVoid, verify } from './changes.js'
import { accessOf, isOnline, passwordOf, passwords, sessionOf, spelled, tokenOf } from './choose.js'
import { factorMakers } from './sign-in.js'

/** @typedef {import('../model/state.js').Token} Token */
/** @typedef {import('../model/step.js').Action} Action */
/** @typedef {import('./choose.js').Situation} Situation */

/** @param {Situation} situation */
function register({ random, pool }) {
  const [name = '', email = ''] = [random.one(pool.names), random.one(pool.addresses)]
  return {
    type: 'register',
    name: spelled(random, name),
    email: spelled(random, email),
    password: random.one(passwords),
  }
}

/** @param {Situation} situation */
function login(situation) {
  const { state, random, pool } = situation
  const asking = state.users.filter(({ request }) => request)
  const user = (random.chance(0.5) ? random.one(asking) : undefined) ?? random.one(state.users)
  const email = user && random.chance(0.9) ? user.email : random.one(pool.addresses)
  const given = random.chance(0.5) ? { login: user?.name ?? 'nobody' } : { by: 'email', login: email }
  return { type: 'login', ...given, password: passwordOf(situation, user) }
}

/** @param {string} type @param {Token['kind']} kind @returns {(situation: Situation) => Action | undefined} */
const use = (type, kind) => (situation) => {
  const text = tokenOf(situation, [kind])?.text
  return text === undefined ? undefined : { type, token: text, password: situation.random.one(passwords) }
}

/** @param {string} type @returns {(situation: Situation) => Action} */
const ask =
  (type) =>
  ({ state, random, pool }) => {
    const user = random.chance(0.7) ? random.one(state.users) : undefined
    const former = random.one(state.tokens.filter((token) => token.kind === 'undo' && isLive(state, token)))
    const email = type === 'forgot' && random.chance(0.4) ? former?.email : user?.email
    return { type, email: spelled(random, email ?? random.one(pool.addresses) ?? '') }
  }

/** With an access token, and a password for those who need one. @param {string} type @returns {(situation: Situation) => Action} */
const call = (type) => (situation) => {
  const { state, random } = situation
  const session = sessionOf(situation)
  const user = state.users.find(({ key }) => key === session?.user)
  const password = random.chance(0.1) && type === 'delete' ? undefined : passwordOf(situation, user)
  const id = sessionOf(situation, random.chance(0.8) ? user : undefined)?.id ?? 1
  return { type, access: accessOf(session), password, next: random.one(passwords), id }
}

/** @param {Situation} situation */
function refresh(situation) {
  const session = sessionOf(situation)
  const text = situation.random.chance(0.9)
    ? session?.refresh.at(-1)
    : situation.random.one(session?.refresh ?? [])
  return text === undefined ? undefined : { type: 'refresh', refresh: text }
}

/** @param {Situation} situation */
function logout(situation) {
  const session = sessionOf(situation)
  const given = situation.random.chance(0.5)
    ? { access: accessOf(session) }
    : { refresh: session?.refresh.at(-1) }
  return { type: 'logout', ...given }
}

/** @param {Situation} situation */
function command({ state, random, pool }) {
  const user = random.one(state.users)
  const [name = '', email = ''] = [random.one(pool.names), random.one(pool.addresses)]
  if (!user || random.chance(0.1)) return { type: 'user create', name, email }
  const inactive = state.users.find(({ isActive }) => !isActive)
  if (inactive && random.chance(0.4)) return { type: 'user activate', user: inactive.name }
  const all = [
    'password',
    'deactivate',
    'end-sessions',
    'verify',
    'reset-link',
    'reset-link',
    'set-email',
    'delete',
  ]
  // Whether a registration that an operator dealt with still ends is left open.
  const type = random.one(user.isClaimed ? all : ['verify', 'set-email', 'delete'])
  // Whether a user can be set to their own address too.
  if (type === 'set-email' && email === user.email) return undefined
  const login = random.chance(0.5) ? user.name : user.email
  return { type: `user ${type}`, user: login, ...(type === 'set-email' && { email }) }
}

/** @param {Situation} situation */
function importUser({ random, pool }) {
  const [name, email] = [random.one(pool.names), random.one(pool.addresses)]
  const about = { isVerified: random.chance(0.5), isActive: random.chance(0.9) }
  return { type: 'user import', name, email, password: random.one(passwords), ...about }
}

/** Minutes, hours or days, or to just before or after the end of something. @param {Situation} situation */
function wait({ state, random }) {
  const ends = [...state.tokens, ...state.sessions].map(({ expiresAt }) => (expiresAt - state.now) / 1000)
  const end = random.one(ends.filter((seconds) => seconds > 10))
  const [unit, most] = random.weighted([
    [5, [60, 50]],
    [2, [3_600, 20]],
    [1, [86_400, 8]],
  ])
  const isToEnd = end !== undefined && random.chance(0.3)
  return {
    type: 'wait',
    seconds: isToEnd ? Math.floor(end) + random.below(9) - 5 : unit * (1 + random.below(most)),
  }
}

/** @typedef {readonly [number, (situation: Situation) => Action | Action[] | undefined]} Maker by its weight */

/** @param {Situation} situation @returns {Maker[]} */
export function makers(situation) {
  const { state, isAboutFactors } = situation
  const { profile } = state.settings
  const all = [...ofAll(state), ...(profile === 'a' ? [] : ofB)]
  const rare = isAboutFactors ? all.map(([weight, make]) => /** @type {Maker} */ ([weight / 4, make])) : all
  const { emailLogin } = state.settings.addOns
  return [...rare, ...(emailLogin ? ofEmailLogin : []), ...factorMakers(situation)]
}

/** @param {import('../model/state.js').State} state @returns {Maker[]} */
const ofAll = (state) => [
  [state.users.length < 3 ? 12 : 2, register],
  [state.sessions.some((session) => isOnline(state, session)) ? 8 : 60, login],
  [3, call('me')],
  [14, (situation) => put(situation)],
  [14, changeAgain],
  [30, confirm],
  [10, cancel],
  [8, useVoid],
  [2, flood],
  [8, (situation) => verify(situation)],
  [3, ask('resend')],
  [6, ask('forgot')],
  [7, use('reset', 'reset')],
  [state.tokens.some((token) => token.kind === 'undo' && isLive(state, token)) ? 3 : 1, use('undo', 'undo')],
  [1, call('delete')],
  [4, refresh],
  [6, command],
  [1, importUser],
  [2, () => ({ type: 'clean-up' })],
  [4, wait],
]

/** @type {Maker[]} */
const ofEmailLogin = [
  [6, ask('ask-login')],
  [12, use('email-login', 'login')],
]

/** @type {(readonly [number, (situation: Situation) => Action | undefined])[]} */
const ofB = [
  [2, logout],
  [1, call('logout-all')],
  [4, call('change-password')],
  [1, call('end-devices')],
  [1, call('end-device')],
]
