import { onProof } from './linked-accounts.js'
import { proofIn } from './second-factor.js'

const template = document.querySelector('#code-for-account')

onProof(proofIn)
for (const form of document.querySelectorAll('#link-account, #unlink-account')) addCode(form)

/** Users with an app prove it before they change linked accounts. */
function addCode(form) {
  const field = template.content.firstElementChild.cloneNode(true)
  const [label, input, error] = field.children
  input.id = `${form.id}-code`
  label.htmlFor = input.id
  error.id = `${input.id}-error`
  input.setAttribute('aria-describedby', error.id)
  form.querySelector('[type=submit]').before(field)
}
