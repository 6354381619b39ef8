import { offerPasskey } from './passkey-proof.js'
import { onProof } from './passkeys.js'
import { proofIn } from './second-factor.js'
import { call } from './session.js'

const template = document.querySelector('#code-for-passkey')

onProof(proofIn)
for (const form of document.querySelectorAll('#add-passkey, #remove-passkey')) addCode(form)
for (const form of document.querySelectorAll('#new-codes, #turn-off, #add-passkey, #remove-passkey'))
  offerPasskey(form, (path) => call('POST', path))

/** Users with an app prove it before they change passkeys. */
function addCode(form) {
  const field = template.content.firstElementChild.cloneNode(true)
  const [label, input, error] = field.children
  input.id = `${form.id}-code`
  label.htmlFor = input.id
  error.id = `${input.id}-error`
  input.setAttribute('aria-describedby', error.id)
  form.querySelector('[type=submit]').before(field)
}
