import { handleForm } from './form.js'

const part = document.querySelector('#unverified')
const form = part.querySelector('form')
const sent = part.querySelector('.sent')
let email = ''

/** Sets up the button that requests another mail. */
export function offerVerification() {
  handleForm(form, 'auth/resend-verification', {
    body: () => ({ email }),
    onDone: () => {
      sent.hidden = false
      sent.focus()
    },
  })
}

/** Shows the part to users whose address is not verified. */
export function showVerification(user) {
  email = user.email
  sent.hidden = true
  part.hidden = user.is_verified
}
