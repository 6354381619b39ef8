import { showFieldError } from './form.js'
import { takeLinkToken } from './link-token.js'
import { openNewMail } from './new-mail.js'
import { showSection } from './sections.js'

/** People type the code that was mailed. Only mails of profile A, from before a change, hold a link with a token. */
let linkToken = ''

export function startWithToken() {
  takeLink()
  showSection('task', { focus: false })
  // A link that is opened in the same tab changes the fragment only: the page is not loaded again.
  addEventListener('hashchange', () => {
    if (takeLink()) showSection('task')
  })
}

/**
 * The token of the link, or the code as it was typed or pasted, without the gaps: a mail program may have put other
 * spaces and dashes there.
 */
export const readToken = (form) => linkToken || form.elements.token.value.replaceAll(/[\s\p{Pd}]/gu, '')

/** The service does not take the token, or the code. */
export function showRefusal(form) {
  const { token } = form.elements
  const message = linkToken
    ? 'The link is not valid any more. Enter the code from the newest email, or ask for one here.'
    : 'This code is not valid. Compare it with the newest email: a code works once, for a limited time, and a newer one replaces it.'
  linkToken = ''
  showCodeField(true)
  showFieldError(token, [message])
  openNewMail()
  token.focus()
}

function takeLink() {
  const token = takeLinkToken()
  if (!token) return false
  linkToken = token
  showCodeField(false)
  return true
}

function showCodeField(isShown) {
  for (const part of document.querySelectorAll('.with-code')) part.hidden = !isShown
  for (const part of document.querySelectorAll('.with-link')) part.hidden = isShown
  document.querySelector('#token').required = isShown
}
