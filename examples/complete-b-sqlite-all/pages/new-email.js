import { handleForm } from './form.js'
import { inWords, withValues } from './texts.js'

const details = document.querySelector('#new-email')

/** When each address may get the next email, in milliseconds. The history keeps it, for a reload. */
const nextEmailAt = new Map(history.state?.nextEmailAt)

/**
 * Sends a form that requests an email.
 * @param {HTMLFormElement} form with `.sent` for what it shows then
 * @param {string} path below /api/v1
 * @param {() => string} email
 */
export function handleEmailForm(form, path, email) {
  const sent = form.querySelector('.sent')
  handleForm(form, path, {
    body: () => ({ email: email() }),
    // The service answers every request in the same way, and sends nothing if the last email is too new.
    refuse: () => {
      const seconds = Math.ceil((nextEmailAt.get(email()) - Date.now()) / 1000)
      return seconds > 0 ? withValues(form.dataset.tooSoon, { time: inWords(seconds) }) : undefined
    },
    onDone: () => {
      nextEmailAt.set(email(), Date.now() + form.dataset.interval * 1000)
      history.replaceState({ ...history.state, nextEmailAt }, '')
      sent.hidden = false
      sent.focus()
    },
  })
}

/** Shows the form that requests a new email. @param {string} path below /api/v1 */
export function offerNewEmail(path) {
  const form = details.querySelector('form')
  handleEmailForm(form, path, () => form.elements.email.value.trim())
  details.hidden = false
}

/** Unfolds the form, if the page has it, for a user who needs a new email to continue. */
export function openNewEmail() {
  if (details) details.open = true
}
