import { handleForm } from './form.js'
import { readToken, showRefusal, startWithToken } from './mailed-token.js'
import { offerNewMail } from './new-mail.js'
import { showDone } from './sections.js'

const form = document.querySelector('#task form')

startWithToken()
offerNewMail('auth/resend-verification')
handleForm(form, 'auth/verify-email', {
  body: () => ({ token: readToken(form) }),
  onDone: showDone,
  onTokenRefused: () => showRefusal(form),
})
