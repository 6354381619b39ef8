import { readToken, showRefusal, startWithToken } from './emailed-token.js'
import { handleForm } from './form.js'
import { offerNewEmail } from './new-email.js'
import { watchPassword } from './password-field.js'
import { showDone } from './sections.js'

const form = document.querySelector('#task form')

startWithToken()
watchPassword(form.elements.new_password)
offerNewEmail('auth/forgot-password')
handleForm(form, 'auth/reset-password', {
  body: () => ({ token: readToken(form), new_password: form.elements.new_password.value }),
  onDone: () => {
    form.reset()
    showDone()
  },
  onTokenRefused: () => showRefusal(form),
})
