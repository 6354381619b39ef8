import { showResult } from './change-email.js'
import { handleForm } from './form.js'
import { call } from './session.js'

const part = document.querySelector('#pending-email')
const form = part.querySelector('form')
let email = ''

/** Sets up the button that cancels a change of the address. */
export function offerCancellation() {
  handleForm(form, 'users/me', {
    // A change to the current address.
    body: () => ({ email }),
    submit: (path, body) => call('PUT', path, body),
    onDone: showResult,
  })
}

/** Shows the part to users whose new address waits for its confirmation. */
export function showPendingEmail(user) {
  email = user.email
  part.hidden = !user.pending_email
}
