import { onUser } from './account.js'
import { showResult } from './change-email.js'
import { handleForm } from './form.js'
import { handleEmailForm } from './new-email.js'
import { call } from './session.js'

const unverified = document.querySelector('#unverified')
const pending = document.querySelector('#pending-email')
let email = ''

handleEmailForm(unverified.querySelector('form'), 'auth/resend-verification', () => email)
handleForm(pending.querySelector('form'), 'users/me', {
  // A change to the current address cancels the one that waits.
  body: () => ({ email }),
  submit: (path, body) => call('PUT', path, body),
  onDone: showResult,
})
onUser((user) => {
  email = user.email
  unverified.querySelector('.sent').hidden = true
  // While a new address waits, the service sends no email to the old one.
  unverified.hidden = user.is_verified || user.pending_email !== undefined
  pending.hidden = !user.pending_email
})
