import { readToken, showRefusal, startWithToken } from './emailed-token.js'
import { handleForm } from './form.js'
import { finishLogIn, showStep } from './log-in.js'
import { offerNewEmail, openNewEmail } from './new-email.js'
import { loginPath } from './session.js'

const form = document.querySelector('#task > form')

startWithToken()
offerNewEmail('auth/email-login')
if (!readToken(form)) openNewEmail()
handleForm(form, loginPath('auth/email-login/confirm'), {
  body: () => ({ token: readToken(form) }),
  onDone: finishLogIn,
  onTokenRefused: () => showRefusal(form),
  onRefused: showStep,
})
