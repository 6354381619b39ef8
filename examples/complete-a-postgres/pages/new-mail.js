import { handleForm } from './form.js'

const details = document.querySelector('#new-mail')
const form = details.querySelector('form')
const sent = details.querySelector('.sent')

/** The form that asks for another mail. @param {string} path below /api/v1/auth */
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

/** Opens the form, where there is nothing else to do. */
export function openNewMail() {
  details.open = true
}

/** Takes the form away, when all is done. */
export function hideNewMail() {
  details.hidden = true
}
