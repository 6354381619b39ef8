import { takeLinkToken } from './link-token.js'
import { openNewEmail } from './new-email.js'
import { doneSection, showSection } from './sections.js'

let token = ''

/** Reads the token from the address and shows the matching section. */
export function startWithToken() {
  token = takeLinkToken()
  if (token) showSection('task', { focus: false })
  else if (doneSection()) showSection(doneSection(), { focus: false })
  else showAskForLink('no-token', { focus: false })
  // Opening another link in the same tab changes only the fragment: the page is not reloaded.
  addEventListener('hashchange', () => {
    const next = takeLinkToken()
    if (!next) return
    token = next
    showSection('task')
  })
}

/** Returns the token for the request body. */
export const readToken = () => token

/** Shows that the service rejected the token. */
export const showRefusal = () => showAskForLink('refused')

function showAskForLink(section, options) {
  openNewEmail()
  showSection(section, options)
}
