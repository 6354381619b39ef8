import { handleForm } from './form.js'
import { startSession } from './session.js'

const form = document.querySelector('#log-in form')
const notice = document.querySelector('#notice')

/**
 * Sets up the form.
 * @param {() => void | Promise<void>} onDone called when the tokens are there
 */
export function offerLogIn(onDone) {
  // Why the page was loaded again.
  const reason = location.hash.slice(1)
  if (reason) history.replaceState(null, '', location.pathname)
  showReason(reason)

  handleForm(form, 'auth/login', {
    body: () => ({ username: form.elements.username.value.trim(), password: form.elements.password.value }),
    onDone: async (tokens) => {
      form.reset()
      notice.hidden = true
      await startSession(tokens)
      await onDone()
    },
  })
}

/** Shows the sentence of a reason to log in. Hides the others. @param {string} reason */
export function showReason(reason) {
  for (const sentence of notice.children) sentence.hidden = sentence.dataset.reason !== reason
  notice.hidden = !notice.querySelector(':scope > :not([hidden])')
}
