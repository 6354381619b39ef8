import { handleEmailForm } from './new-email.js'

const part = document.querySelector('#unverified')
let email = ''

/** Sets up the button that requests another email. */
export function offerVerification() {
  handleEmailForm(part.querySelector('form'), 'auth/resend-verification', () => email)
}

/** Shows the part to users whose address is not verified. While another one waits, the service sends no email to it. */
export function showVerification(user) {
  email = user.email
  part.querySelector('.sent').hidden = true
  part.hidden = user.is_verified || user.pending_email !== undefined
}
