import { request } from './service.js'

/**
 * The session of this tab. The access token is only in memory, where no other page finds it. A reload logs out.
 * docs/accounts.md says more.
 */
let accessToken = ''

/** Tells the other tabs that the user logged out. */
const tabs = new BroadcastChannel('account-pages')
tabs.addEventListener('message', () => {
  if (accessToken) startOver('logged-out')
})

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
  if (outcome.status === 401) startOver('ended')
  return outcome
}

/** Deletes the tokens of all tabs, and starts the page over. */
export function endSession(reason) {
  tabs.postMessage(reason)
  startOver(reason)
}

/** Loads the page again: nothing of the user stays in memory or on the screen. */
function startOver(reason) {
  accessToken = ''
  history.replaceState(null, '', `#${reason}`)
  location.reload()
}
