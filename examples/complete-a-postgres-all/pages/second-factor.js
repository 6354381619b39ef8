import { handleForm } from './form.js'
import { addStep, finishLogIn, startOver } from './log-in.js'
import { showSection } from './sections.js'
import { loginPath } from './session.js'

const section = document.querySelector('#second-factor')
const form = section.querySelector('form')
/** Forms that are being sent with another proof than a typed code. */
const given = new WeakMap()
let token

addStep('mfa_required', (answer) => {
  token = answer.mfa_token
  form.reset()
  form.querySelector('.problem').hidden = true
  for (const element of section.querySelectorAll('[data-factor]'))
    element.hidden = !answer.factors.includes(element.dataset.factor)
  showSection('second-factor')
})
handleForm(form, loginPath('auth/mfa'), {
  body: () => ({ mfa_token: token, ...proofIn(form) }),
  onDone: finishLogIn,
})
section.querySelector('.after').addEventListener('click', startOver)

/** The token of the login that is right so far. */
export const pendingToken = () => token

/** Sends a form with another proof than what the user typed. @param {object} proof */
export function submitWith(form, proof) {
  const { code } = form.elements
  const { required } = code
  given.set(form, proof)
  code.required = false
  form.requestSubmit()
  code.required = required
  given.delete(form)
}

export const givenProof = (form) => given.get(form)

/** What proves a second factor: a code of the app has six digits, and a recovery code is longer. */
export function proofIn(form) {
  if (given.has(form)) return given.get(form)
  const text = form.elements.code.value.trim()
  if (!text) return {}
  return /^\d{3} ?\d{3}$/.test(text) ? { code: text } : { recovery_code: text }
}
