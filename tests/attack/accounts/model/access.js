import { dayMs, newKey, userByKey } from './state.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').User} User */
/** @typedef {import('./state.js').Session} Session */

/**
 * An answer. `body` has the values that the contract decides; undefined: absent. `learn` notes in a state what only the
 * service knows.
 * @typedef {{ status: number, code?: string, body?: Record<string, unknown>, session?: number, learn?: (state: State, body: any) => void }} Answer
 */

/** @param {number} status @param {string} code @returns {Answer} */
export const refused = (status, code) => ({ status, code })

const maxSessionMs = 30 * dayMs

/** @param {State} state @param {Session} session */
export const isOpen = ({ now }, session) => !session.isEnded && session.expiresAt > now

/** @param {State} state @param {User} user */
export const openSessions = (state, user) =>
  state.sessions.filter((session) => session.user === user.key && isOpen(state, session))

/**
 * Whoever sends an access token. `answer`: they are refused.
 * @param {State} state @param {string | undefined} text
 * @returns {{ user: User, session: Session, answer?: undefined } | { answer: Answer }}
 */
export function callerOf(state, text) {
  if (text === undefined) return { answer: refused(401, 'not_authenticated') }
  const session = state.sessions.find(({ access }) => access.some((token) => token.text === text))
  const token = session?.access.find((each) => each.text === text)
  if (token && token.expiresAt <= state.now) return { answer: refused(401, 'token_expired') }
  const user = session && userByKey(state, session.user)
  if (!session || !user?.isActive || !isOpen(state, session)) return { answer: refused(401, 'invalid_token') }
  return { user, session }
}

/**
 * As `callerOf`, for what LOGIN_REQUIRES_VERIFIED_EMAIL keeps from users who are not verified.
 * @param {State} state @param {string | undefined} text @param {boolean} isStrict whether that is set
 */
export function verifiedCallerOf(state, text, isStrict) {
  const caller = callerOf(state, text)
  return !caller.answer && isStrict && !caller.user.isVerified
    ? { answer: refused(403, 'user_not_verified') }
    : caller
}

/** @param {Session} session @returns {Answer} */
const tokensOf = ({ key }) => ({
  status: 200,
  session: key,
  body: { token_type: 'bearer' },
  learn: ({ now, sessions, settings }, { access_token: text, refresh_token: refresh }) => {
    const { sid } = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())
    for (const session of sessions.filter((each) => each.key === key)) {
      session.id = sid
      session.access.push({ text, expiresAt: now + settings.accessSeconds * 1000 })
      session.refresh.push(refresh)
    }
  },
})

/**
 * @param {State} state @param {User} user
 * @param {{ loggedInAt?: number, isMfa?: boolean, isByRecovery?: boolean }} [login]
 */
export function startSession(
  state,
  user,
  { loggedInAt = state.now, isMfa = false, isByRecovery = false } = {},
) {
  user.isClaimed = true
  const login = { loggedInAt, isMfa, isByRecovery }
  const about = { key: newKey(state), user: user.key, startedAt: state.now, isEnded: false }
  const expiresAt = state.now + state.settings.idleSeconds * 1000
  /** @type {Session} */
  const session = {
    ...about,
    ...login,
    expiresAt,
    endsAt: state.now + maxSessionMs,
    access: [],
    refresh: [],
  }
  state.sessions.push(session)
  return tokensOf(session)
}

/** @param {State} state @param {string | undefined} text empty where a cookie took the place of the token */
export const sessionOfRefresh = (state, text) =>
  text ? state.sessions.find((each) => each.refresh.includes(text)) : undefined

/** @param {State} state @param {string} text @returns {Answer & { ended?: Session }} `ended` by a replay */
export function refresh(state, text) {
  const bad = refused(401, 'invalid_refresh_token')
  const session = sessionOfRefresh(state, text)
  const user = session && userByKey(state, session.user)
  if (!session || !user?.isActive || !isOpen(state, session)) return bad
  if (session.refresh.at(-1) !== text) {
    // It may be stolen.
    session.isEnded = true
    return { ...bad, ended: session }
  }
  const idleEnd = state.now + state.settings.idleSeconds * 1000
  session.expiresAt = Math.min(idleEnd, session.endsAt)
  session.usedAt = state.now
  return tokensOf(session)
}

/** @param {State} state @param {User} user @param {Session} [spared] */
export function endSessions(state, user, spared) {
  for (const session of state.sessions)
    if (session.user === user.key && session !== spared) session.isEnded = true
}
