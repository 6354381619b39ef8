import { groupCode } from './code-field.js'
import { showFieldError } from './form.js'
import { takeLinkToken } from './link-token.js'
import { openNewEmail } from './new-email.js'
import { doneSection, showSection } from './sections.js'

/** Shows the form, with the code from the link if there is one. */
export function startWithToken() {
  groupCode(document.querySelector('#token'))
  const code = takeLinkToken()
  fillIn(code)
  showSection((!code && doneSection()) || 'task', { focus: false })
  // Opening another link in the same tab changes only the fragment: the page is not reloaded.
  addEventListener('hashchange', () => {
    const next = takeLinkToken()
    if (!next) return
    fillIn(next)
    showSection('task')
  })
}

function fillIn(code) {
  const input = document.querySelector('#token')
  if (code) input.value = code
}

/** Returns the code without spaces and other dashes than hyphens: email programs may replace characters with them. */
export function readToken(form) {
  return form.elements.token.value.replaceAll(/[^\x21-\x7e]/g, '')
}

/** Shows that the service rejected the code. */
export function showRefusal(form) {
  const { token } = form.elements
  showFieldError(token, [token.dataset.refused])
  openNewEmail()
  token.focus()
}
