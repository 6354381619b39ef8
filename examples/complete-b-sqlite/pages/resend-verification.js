import { handleForm } from './form.js'
import { inWords, withValues } from './texts.js'

const part = document.querySelector('#unverified')
const form = part.querySelector('form')
const sent = part.querySelector('.sent')
let email = ''
/** When the address may get the next mail, in milliseconds. */
let nextMailAt = 0

/** Sets up the button that requests another mail. */
export function offerVerification() {
  handleForm(form, 'auth/resend-verification', {
    body: () => ({ email }),
    // The service answers every request in the same way, and sends nothing if the last mail is too new.
    refuse: () => {
      sent.hidden = true
      const seconds = Math.ceil((nextMailAt - Date.now()) / 1000)
      return seconds > 0 ? withValues(form.dataset.tooSoon, { time: inWords(seconds) }) : undefined
    },
    onDone: () => {
      nextMailAt = Date.now() + form.dataset.interval * 1000
      sent.hidden = false
      sent.focus()
    },
  })
}

/** Shows the part to users whose address is not verified. */
export function showVerification(user) {
  if (email !== user.email) nextMailAt = 0
  email = user.email
  sent.hidden = true
  part.hidden = user.is_verified
}
