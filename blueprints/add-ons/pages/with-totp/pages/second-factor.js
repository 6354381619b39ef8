import { handleForm } from './form.js'
import { addStep } from './log-in.js'
import { showSection } from './sections.js'

const section = document.querySelector('#second-factor')
const form = section.querySelector('form')
let token
let finish

addStep('mfa_required', (answer, onDone) => {
  token = answer.mfa_token
  finish = onDone
  form.reset()
  form.querySelector('.problem').hidden = true
  showSection('second-factor')
})
handleForm(form, 'auth/mfa', {
  body: () => ({ mfa_token: token, ...proofIn(form) }),
  onDone: (tokens) => finish(tokens),
})
section.querySelector('.after').addEventListener('click', () => showSection('log-in'))

/** What a user typed: a code of the app has six digits, and a recovery code is longer. */
export function proofIn({ elements }) {
  const text = elements.code.value.trim()
  if (!text) return {}
  return /^\d{3} ?\d{3}$/.test(text) ? { code: text } : { recovery_code: text }
}
