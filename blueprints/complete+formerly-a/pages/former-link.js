import { showFieldError } from './form.js'
import { takeLinkToken } from './link-token.js'
import { showSection } from './sections.js'

/** The token of a link. Mails sent before the switch of the profile have a link instead of a code. */
let linkToken = ''

/** Reads the token from the address. If there is one, hides the field for the code. */
export function takeFormerLink() {
  takeToken()
  // Opening a link in the same tab changes only the fragment: the page is not reloaded.
  addEventListener('hashchange', () => {
    if (takeToken()) showSection('task')
  })
}

export const readFormerLink = () => linkToken

/** Shows that the service rejected the link, and the field for the code. */
export function showFormerRefusal(field) {
  if (!linkToken) return
  linkToken = ''
  showCodeField(true)
  showFieldError(field, [
    'The link is no longer valid. Enter the code from the newest email, or request one below.',
  ])
}

function takeToken() {
  const token = takeLinkToken()
  if (!token) return false
  linkToken = token
  showCodeField(false)
  return true
}

function showCodeField(isShown) {
  const input = document.querySelector('#token')
  const [withCode, withLink] = document.querySelectorAll('#task > p')
  withCode.hidden = !isShown
  withLink.hidden = isShown
  input.closest('.field').hidden = !isShown
  input.required = isShown
}
