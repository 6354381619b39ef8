import { takeLinkToken } from './link-token.js'
import { openNewMail } from './new-mail.js'
import { showSection } from './sections.js'

let token = ''

/** Takes the token from the address. */
export function startWithToken() {
  token = takeLinkToken()
  if (!token) showAskForLink('no-token', { focus: false })
  else showSection('task', { focus: false })
  // Another link that is opened in the same tab changes the fragment only: the page is not loaded again.
  addEventListener('hashchange', () => {
    const next = takeLinkToken()
    if (!next) return
    token = next
    showSection('task')
  })
}

/** The token, for the body of a request: it goes nowhere else. */
export const readToken = (_form) => token

/** The service takes the token no more. */
export const showRefusal = (_form) => showAskForLink('refused')

function showAskForLink(section, options) {
  openNewMail()
  showSection(section, options)
}
