import { handleForm } from './form.js'
import { inWords, withValues } from './texts.js'

const details = document.querySelector('#new-mail')
const form = details?.querySelector('form')
const sent = details?.querySelector('.sent')

/** When each address may get the next mail, in milliseconds. */
const nextMailAt = new Map()

/** Shows the form that requests a new mail. @param {string} path below /api/v1 */
export function offerNewMail(path) {
  form.addEventListener('submit', () => {
    sent.hidden = true
  })
  const email = () => form.elements.email.value.trim()
  handleForm(form, path, {
    body: () => ({ email: email() }),
    // The service answers every request in the same way, and sends nothing if the last mail is too new.
    refuse: () => {
      const seconds = Math.ceil((nextMailAt.get(email()) - Date.now()) / 1000)
      return seconds > 0 ? withValues(form.dataset.tooSoon, { time: inWords(seconds) }) : undefined
    },
    onDone: () => {
      nextMailAt.set(email(), Date.now() + form.dataset.interval * 1000)
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
