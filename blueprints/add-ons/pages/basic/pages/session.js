import { request } from './service.js'

/**
 * The session of this tab. The access token is only in memory, where no other page finds it. A reload logs out.
 * docs/accounts.md says more.
 */
let accessToken = ''

/** Tells the other tabs that the user logged out. */
const tabs = new BroadcastChannel('account-pages')
tabs.addEventListener('message', () => {
  if (accessToken) startOver('#logged-out')
})

/** The path of a request that logs in. @param {string} path below /api/v1 */
export const loginPath = (path) => path

/** Whether this tab has a session, which may have ended. */
export const hasSession = () => accessToken !== ''

/** Keeps the token of a login. */
export function startSession(tokens) {
  accessToken = tokens.access_token
}

/**
 * Sends a request with the access token. If the service rejects it, the user has to log in again.
 * @param {string} method
 * @param {string} path below /api/v1
 * @param {object} [body]
 */
export async function call(method, path, body) {
  const outcome = await request(method, path, { body, token: accessToken })
  if (outcome.status === 401) startOver('#ended')
  return outcome
}

/** Logs out. The service has nothing to end: without its token, this browser is logged out. */
export const logOut = () => endSession('#logged-out')

/**
 * Deletes the tokens of all tabs, and loads a page.
 * @param {string} next another page, or `#` and why this one starts over
 */
export function endSession(next) {
  tabs.postMessage(next)
  startOver(next)
}

/** Loads a page: nothing of the user stays in memory or on the screen. */
function startOver(next) {
  accessToken = ''
  history.replaceState(null, '', next)
  location.reload()
}
