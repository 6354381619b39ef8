import { showUser } from './account.js'
import { handleForm } from './form.js'
import { call } from './session.js'

const form = document.querySelector('#change-email')
const { email, current_password: password } = form.elements
const confirmation = document.querySelector('#confirmation')
const result = document.querySelector('#email-result')

form.addEventListener('submit', () => {
  result.hidden = true
})
handleForm(form, 'users/me', {
  body: () => ({
    email: email.value.trim(),
    ...(password.value && { current_password: password.value }),
  }),
  submit: async (path, body) => {
    const outcome = await call('PUT', path, body)
    // The login is not new.
    if (outcome.code === 'reauthentication_required') askForPassword(true)
    return outcome
  },
  onDone: (user) => {
    askForPassword(false)
    form.reset()
    showResult(user)
  },
})

/** Shows what became of the address, and moves the focus there, so that screen readers announce it. */
export function showResult(user) {
  showUser(user)
  // In mode complete, a new address waits for its confirmation.
  if (user.pending_email) return document.querySelector('#pending-email').focus()
  result.hidden = false
  result.focus()
}

function askForPassword(isAsked) {
  confirmation.hidden = !isAsked
  password.required = isAsked
}
