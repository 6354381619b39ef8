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
 * @param {HTMLElement} place where the button is the last: by default in the field, which may be hidden
 */
export function offerPasskey(form, ask, place = form.elements.code.closest('.field')) {
  place.append(template.content.cloneNode(true))
  place.lastElementChild.addEventListener('click', async () => {
    const signature = await usePasskey(await ask(path))
    if (signature.ok) submitWith(form, { credential: signature.answer })
    else showOutcome(form, signature)
  })
}

const login = document.querySelector('#second-factor form')
offerPasskey(login, () => send(path, { mfa_token: pendingToken() }), login)
