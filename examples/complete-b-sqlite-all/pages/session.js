import { request } from './service.js'

/**
 * The session of this browser: a cookie, which no script can read. The pages of all tabs share it. docs/cookies.md says
 * more.
 */
const tabs = new BroadcastChannel('account-pages')
let isOver = !document.querySelector('#has-session')
let isShown = false
let isKept = false

/** Keeps this page when the session ends: it shows nothing of the user, and a reload would lose the token of a link. */
export function keepPage() {
  isKept = true
}

/** The path of a request that logs in. @param {string} path below /api/v1 */
export const loginPath = (path) => `${path}?use_cookies=true`

/** Whether this browser has the cookie of a session, as far as the service said. */
export const hasSession = () => !isOver

/** The answer of a login has set the cookie. Other tabs may show another user: they start over. */
export async function startSession() {
  isOver = false
  tabs.postMessage('logged-in')
  const returnTo = document.querySelector('#return-to')
  if (!returnTo || isKept) return
  location.assign(returnTo.value)
  // Until the browser has left this page, it shows nothing else.
  await new Promise(() => {})
}

/**
 * Sends a request with the session. If it is over, the page starts over, or is told so if it has shown nothing yet.
 * @param {string} method
 * @param {string} path below /api/v1
 * @param {object} [body]
 */
export async function call(method, path, body) {
  const outcome = await request(method, path, { body })
  if (outcome.ok) isShown = true
  // Not after a lost connection or a 503: the session is still there.
  else if (['invalid_token', 'not_authenticated'].includes(outcome.code)) {
    isOver = true
    if (isShown) startOver('#ended')
  }
  return outcome
}

/** For a request that is answered with a new session. */
export const callForTokens = call

/** Logs out, here and at the service. */
export const logOut = () => endSession('#logged-out')

/** Ends the session in all tabs, and loads a page. @param {string} next another page, or `#` and why this one starts over */
export async function endSession(next) {
  // It also clears the cookie of a session that is over.
  await request('POST', 'auth/logout')
  tabs.postMessage('logged-out')
  startOver(next)
}

// Logged out in another tab, or in as someone else.
tabs.addEventListener('message', () => startOver())

/** Loads a page: nothing of the user stays in memory or on the screen. */
function startOver(next = location.pathname) {
  if (isKept) return
  history.replaceState(null, '', next)
  location.reload()
}
