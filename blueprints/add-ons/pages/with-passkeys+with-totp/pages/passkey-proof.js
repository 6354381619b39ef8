import { showOutcome } from './form.js'
import { pendingToken, submitWith } from './second-factor.js'
import { send } from './service.js'
import { usePasskey } from './webauthn.js'

const path = 'auth/mfa/passkey/options'
const template = document.querySelector('#passkey-instead')

/**
 * Offers a passkey in place of the code of a form.
 * @param {HTMLFormElement} form
 * @param {(path: string) => Promise<object>} ask requests the options
 */
export function offerPasskey(form, ask) {
  const field = form.elements.code.closest('.field')
  field.append(template.content.cloneNode(true))
  field.lastElementChild.addEventListener('click', async () => {
    const signature = await usePasskey(await ask(path))
    if (signature.ok) submitWith(form, { credential: signature.answer })
    else showOutcome(form, signature)
  })
}

offerPasskey(document.querySelector('#second-factor form'), () => send(path, { mfa_token: pendingToken() }))
