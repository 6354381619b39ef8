import { handleForm } from './form.js'
import { inWords, withValues } from './texts.js'

const details = document.querySelector('#new-mail')

/** When each address may get the next mail, in milliseconds. The history keeps it, for a reload. */
const nextMailAt = new Map(history.state?.nextMailAt)

/**
 * Sends a form that requests a mail.
 * @param {HTMLFormElement} form with `.sent` for what it shows then
 * @param {string} path below /api/v1
 * @param {() => string} email
 */
export function handleMailForm(form, path, email) {
  const sent = form.querySelector('.sent')
  form.addEventListener('submit', () => {
    sent.hidden = true
  })
  handleForm(form, path, {
    body: () => ({ email: email() }),
    // The service answers every request in the same way, and sends nothing if the last mail is too new.
    refuse: () => {
      const seconds = Math.ceil((nextMailAt.get(email()) - Date.now()) / 1000)
      return seconds > 0 ? withValues(form.dataset.tooSoon, { time: inWords(seconds) }) : undefined
    },
    onDone: () => {
      nextMailAt.set(email(), Date.now() + form.dataset.interval * 1000)
      history.replaceState({ ...history.state, nextMailAt }, '')
      sent.hidden = false
      sent.focus()
    },
  })
}

/** Shows the form that requests a new mail. @param {string} path below /api/v1 */
export function offerNewMail(path) {
  const form = details.querySelector('form')
  handleMailForm(form, path, () => form.elements.email.value.trim())
  details.hidden = false
}

/** Unfolds the form, if the page has it, for a user who needs a new mail to continue. */
export function openNewMail() {
  if (details) details.open = true
}
