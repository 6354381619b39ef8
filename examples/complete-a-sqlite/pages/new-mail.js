import { handleForm } from './form.js'

const details = document.querySelector('#new-mail')
const form = details?.querySelector('form')
const sent = details?.querySelector('.sent')

/** Shows the form that requests a new mail. @param {string} path below /api/v1 */
export function offerNewMail(path) {
  form.addEventListener('submit', () => {
    sent.hidden = true
  })
  handleForm(form, path, {
    body: () => ({ email: form.elements.email.value.trim() }),
    onDone: () => {
      sent.hidden = false
      sent.focus()
    },
  })
  details.hidden = false
}

/** Unfolds the form, if the page has it, for a user who needs a new mail to continue. */
export function openNewMail() {
  if (details) details.open = true
}

/** Hides the form after success. */
export function hideNewMail() {
  details.hidden = true
}
