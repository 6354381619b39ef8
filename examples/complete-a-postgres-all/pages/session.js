import { request } from './service.js'

/**
 * The session of this browser. The access token is only in memory, one for each tab. The refresh token is in the local
 * storage, for all tabs and after a reload. docs/sessions.md says why.
 */
const key = 'refresh_token'
let accessToken = ''
let isKept = false

/** Keeps this page when the session ends: it shows nothing of the user, and a reload would lose the token of a link. */
export function keepPage() {
  isKept = true
}

/** Whether this browser has a session, which may have ended. */
export const hasSession = () => localStorage.getItem(key) !== null

/** Keeps the tokens of a login, in place of all others. */
export const startSession = (tokens) =>
  alone(() => {
    // Other tabs may show another user: they notice the missing token, and start over.
    localStorage.removeItem(key)
    keep(tokens)
  })

/**
 * Sends a request with the access token. If the service rejects it, refreshes it once and sends the request again.
 * @param {string} method
 * @param {string} path below /api/v1
 * @param {object} [body]
 */
export const call = (method, path, body) => withToken((token) => request(method, path, { body, token }))

async function withToken(send) {
  const token = accessToken
  if (token) {
    const outcome = await send(token)
    // `not_authenticated` if the route does not need a login: it ignores the token.
    if (!['token_expired', 'invalid_token', 'not_authenticated'].includes(outcome.code)) return outcome
  }
  const refreshed = await refresh(token)
  return refreshed.ok ? send(accessToken) : refreshed
}

/** Logs out. The service has no logout: without its tokens, this browser is logged out. */
export const logOut = () => endSession('#logged-out')

/**
 * Deletes the tokens of all tabs, and loads a page.
 * @param {string} next another page, or `#` and why this one starts over
 * @param {(refreshToken: string | null) => Promise<unknown>} [tell] tells the service
 */
export const endSession = (next, tell) =>
  alone(async () => {
    const refreshToken = localStorage.getItem(key)
    localStorage.removeItem(key)
    await tell?.(refreshToken)
    startOver(next)
  })

// Logged out in another tab, or in as someone else. A refresh only replaces the token.
addEventListener('storage', (event) => {
  const isOurs = event.key === key || event.key === null
  if (isOurs && (event.newValue === null || event.oldValue === null)) startOver()
})

let refreshing

/** Refreshes once for all requests of this tab that wait for it. */
function refresh(rejected) {
  refreshing ??= refreshAlone(rejected).finally(() => {
    refreshing = undefined
  })
  return refreshing
}

/** Only one tab refreshes at a time: a replaced token that is used again ends the session, as if it were stolen. */
const refreshAlone = (rejected) =>
  alone(async () => {
    // Another request of this tab has refreshed it.
    if (accessToken !== rejected) return { ok: true }
    const refreshToken = localStorage.getItem(key)
    const outcome = await request('POST', 'auth/refresh', { body: { refresh_token: refreshToken ?? '' } })
    if (outcome.ok) keep(outcome.answer)
    // Not after a lost connection or a 503: the session is still there.
    if (outcome.status === 401 || outcome.status === 422) {
      localStorage.removeItem(key)
      startOver('#ended')
    }
    return outcome
  })

/** Web Locks exist over HTTPS and on localhost. Elsewhere, REFRESH_TOKEN_REUSE_GRACE_SECONDS has to do. */
const alone = (work) => (navigator.locks ? navigator.locks.request('account-pages', work) : work())

function keep({ access_token, refresh_token }) {
  accessToken = access_token
  localStorage.setItem(key, refresh_token)
}

/** Loads a page: nothing of the user stays in memory or on the screen. */
function startOver(next = location.pathname) {
  accessToken = ''
  if (isKept) return
  history.replaceState(null, '', next)
  location.reload()
}
