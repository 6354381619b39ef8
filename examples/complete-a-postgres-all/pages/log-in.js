import { handleForm } from './form.js'
import { showSection } from './sections.js'
import { loginPath, startSession } from './session.js'

const form = document.querySelector('#log-in form')
const notice = document.querySelector('#notice')

const steps = new Map()

/** Where a page leads that has nothing else to do. */
let onLoggedIn = () => location.assign('account')

/**
 * Adds a step for logins that are right so far. It ends with `finishLogIn`.
 * @param {string} code of the answer that asks for it
 * @param {(answer: object) => void} show
 */
export const addStep = (code, show) => steps.set(code, show)

/** Shows the step that an answer asks for. @returns {boolean} whether there is one */
export function showStep({ code, answer }) {
  const show = steps.get(code)
  show?.(answer)
  return show !== undefined
}

/** Lets the user log in from the start: on this page, if its form can. */
export const startOver = () => (form ? showSection('log-in') : location.assign('account'))

/** Sets where a page leads after a login. @param {() => void | Promise<void>} next */
export function afterLogIn(next) {
  onLoggedIn = next
}

/**
 * Sets up the form.
 * @param {() => void | Promise<void>} onDone called when the tokens are there
 */
export function offerLogIn(onDone) {
  afterLogIn(onDone)
  // Why the page was loaded again.
  const reason = location.hash.slice(1)
  if (reason) history.replaceState(null, '', location.pathname)
  showReason(reason)

  handleForm(form, loginPath('auth/login'), {
    body: () => ({ username: form.elements.username.value.trim(), password: form.elements.password.value }),
    onDone: finishLogIn,
    onRefused: showStep,
  })
}

/** Ends each way to log in. @param {object} tokens the answer of the service */
export async function finishLogIn(tokens) {
  form?.reset()
  if (notice) notice.hidden = true
  await startSession(tokens)
  await onLoggedIn()
}

/** Shows the sentence of a reason to log in. Hides the others. @param {string} reason */
export function showReason(reason) {
  for (const sentence of notice.children) sentence.hidden = sentence.dataset.reason !== reason
  notice.hidden = !notice.querySelector(':scope > :not([hidden])')
}
