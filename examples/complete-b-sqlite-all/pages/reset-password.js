import { readToken, showRefusal, startWithToken } from './emailed-token.js'
import { handleForm } from './form.js'
import { offerNewEmail, openNewEmail } from './new-email.js'
import { watchPassword } from './password-field.js'
import { showDone } from './sections.js'

const form = document.querySelector('#task > form')

startWithToken()
watchPassword(form.elements.new_password)
offerNewEmail('auth/forgot-password')
// A password manager saves nothing without a name. The address is not sent with the password.
document.querySelector('#email').addEventListener('input', ({ target }) => {
  form.elements.username.value = target.value
})
// Whoever comes without a link needs an email first, and would type the address into the field of the code.
if (!readToken(form)) openNewEmail()
handleForm(form, 'auth/reset-password', {
  body: () => ({ token: readToken(form), new_password: form.elements.new_password.value }),
  onDone: () => {
    form.reset()
    showDone()
  },
  onTokenRefused: () => showRefusal(form),
})
