import { openNewMail } from './new-mail.js'
import { showSection } from './sections.js'

// The token of the link that was mailed: in the fragment (#token=…), which browsers send to nobody.

let token = ''

/** Takes the token from the address. */
export function startWithToken() {
  if (!takeToken()) showAskForLink('no-token', { focus: false })
  else showSection('task', { focus: false })
  // Another link that is opened in the same tab changes the fragment only: the page is not loaded again.
  addEventListener('hashchange', () => {
    if (takeToken()) showSection('task')
  })
}

/** The token, for the body of a request: it goes nowhere else. */
export const readToken = (_form) => token

/** The service takes the token no more. */
export const showRefusal = (_form) => showAskForLink('refused')

function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (!given) return false
  token = given
  // Out of the address bar and the history at once, where the next person at this screen would find it.
  history.replaceState(null, '', location.pathname)
  return true
}

function showAskForLink(section, options) {
  openNewMail()
  showSection(section, options)
}
