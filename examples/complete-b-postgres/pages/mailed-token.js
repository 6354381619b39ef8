import { showFieldError } from './form.js'
import { openNewMail } from './new-mail.js'
import { showSection } from './sections.js'

export function startWithToken() {
  showSection('task', { focus: false })
}

/** Returns the code without spaces and dashes: mail programs may replace them with other characters. */
export function readToken(form) {
  return form.elements.token.value.replaceAll(/[\s\p{Pd}]/gu, '')
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
