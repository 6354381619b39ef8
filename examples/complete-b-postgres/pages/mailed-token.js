import { showFieldError } from './form.js'
import { takeLinkToken } from './link-token.js'
import { openNewMail } from './new-mail.js'
import { showSection } from './sections.js'

/** Shows the form, with the code from the link if there is one. */
export function startWithToken() {
  fillIn(takeLinkToken())
  showSection('task', { focus: false })
  // Opening another link in the same tab changes only the fragment: the page is not reloaded.
  addEventListener('hashchange', () => {
    const code = takeLinkToken()
    if (!code) return
    fillIn(code)
    showSection('task')
  })
}

function fillIn(code) {
  const input = document.querySelector('#token')
  if (code) input.value = code
}

/** Returns the code without spaces and other dashes than hyphens: mail programs may replace characters with them. */
export function readToken(form) {
  return form.elements.token.value.replaceAll(/[^\x21-\x7e]/g, '')
}

/** Shows that the service rejected the code. */
export function showRefusal(form) {
  const { token } = form.elements
  showFieldError(token, [
    'This code is not valid. Check the newest email. A code works once, expires, and is replaced by a newer one.',
  ])
  openNewMail()
  token.focus()
}
