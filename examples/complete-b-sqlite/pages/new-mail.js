import { handleForm } from './form.js'

const details = document.querySelector('#new-mail')
const form = details.querySelector('form')
const sent = details.querySelector('.sent')

/** Shows the form that requests a new mail. @param {string} path below /api/v1/auth */
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

/** Opens the form if it is the only thing the user can do. */
export function openNewMail() {
  details.open = true
}

/** Hides the form after success. */
export function hideNewMail() {
  details.hidden = true
}
