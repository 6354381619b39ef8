import { requests } from '../requests.js'
import { isOpen, refused } from './access.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./access.js').Answer} Answer */
/** @typedef {import('./step.js').Action} Action */

/** How a cookie is told from an access token, in the place of which it is sent. */
const mark = 'cookie '

/** Of the random part and the tag, which come after the id. */
const bytesAfterId = 48

/** @param {string | undefined} text */
export const isCookie = (text) => text?.startsWith(mark) ?? false

/** The Cookie header. @param {string} text */
export const headerOf = (text) => text.slice(mark.length)

/** @param {string} header `name=value` */
export const cookieText = (header) => mark + header

/** @param {string} text */
function sessionIdOf(text) {
  const bytes = Buffer.from(text.split('=')[1] ?? '', 'base64url')
  return Number.parseInt(bytes.toString('hex', 0, bytes.length - bytesAfterId), 16)
}

/** @param {State} state @param {string | undefined} text */
const openSessionOf = (state, text) =>
  state.sessions.find(
    (session) => isOpen(state, session) && session.access.some((each) => each.text === text),
  )

/** Extends a session that is used, at most once a minute. @param {State} state @param {string} text */
function keepAlive(state, text) {
  const session = openSessionOf(state, text)
  if (!session || state.now - (session.usedAt ?? session.startedAt) < 60_000) return
  session.usedAt = state.now
  session.expiresAt = Math.min(state.now + state.settings.idleSeconds * 1000, session.endsAt)
}

/**
 * What a cookie changes before a rule is followed.
 * @param {State} state @param {Action} action
 * @returns {Answer | undefined} a refusal
 */
export function readCookie(state, action) {
  const { type, access, cookies, isElsewhere } = action
  const has = isCookie(access)
  const isUnsafe = requests[type]?.(action)[0] !== 'GET'
  if (isElsewhere && ((has && isUnsafe) || cookies)) return refused(403, 'cross_site_request')
  // Endpoints without a guard do not look at it.
  if (has && type !== 'login' && type !== 'logout') keepAlive(state, access)
  return undefined
}

/**
 * What a cookie changes of an answer.
 * @param {State} state @param {Action} action @param {Answer} answer
 * @returns {Answer}
 */
export function setCookie(state, { type, access, cookies }, answer) {
  const isBy = type === 'change-password' && isCookie(access)
  const { session: key } = answer
  if (key === undefined || !(cookies || isBy)) return answer
  const before = isCookie(access) ? openSessionOf(state, access) : undefined
  if (before && before.key !== key) before.isEnded = true
  return {
    status: answer.status,
    body: { access_token: undefined, refresh_token: undefined },
    learn: ({ sessions }, { cookie: text }) => {
      for (const session of sessions.filter((each) => each.key === key)) {
        session.id = sessionIdOf(text)
        session.access.push({ text, expiresAt: Number.MAX_SAFE_INTEGER })
        // Its refresh tokens are those of before.
        if (session.refresh.length > 0) session.refresh.push('')
      }
    },
  }
}

/**
 * A login is for a cookie now and then, and a request comes from another site.
 * @param {Action} action
 * @param {import('../random.js').Random} random
 * @param {State} state
 * @returns {Action}
 */
export function sentByBrowser(action, random, state) {
  if (!state.settings.addOns.cookies || !(action.type in requests)) return action
  const cookies = answersWithTokens.includes(action.type) && random.chance(0.4)
  const cookie = random.one(
    state.sessions.flatMap(({ access }) => access.filter(({ text }) => isCookie(text))),
  )
  const isSent = cookies && /^(login|provider-exchange)$/.test(action.type) && random.chance(0.4)
  return {
    ...action,
    ...(isSent && cookie && action.access === undefined && { access: cookie.text }),
    ...(cookies && { cookies }),
    ...(random.chance(0.04) && { isElsewhere: true }),
  }
}

const answersWithTokens = [
  'login',
  'refresh',
  'email-login',
  'change-password',
  'mfa-login',
  'passkey-login',
  'provider-exchange',
]
