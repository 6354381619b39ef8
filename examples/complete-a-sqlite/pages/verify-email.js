import { handleForm } from './form.js'
import { readToken, showRefusal, startWithToken } from './mailed-token.js'
import { hideNewMail, offerNewMail } from './new-mail.js'
import { showSection } from './sections.js'

const form = document.querySelector('#task form')

startWithToken()
offerNewMail('auth/resend-verification')
handleForm(form, 'auth/verify-email', {
  body: () => ({ token: readToken(form) }),
  onDone: () => {
    hideNewMail()
    showSection('done')
  },
  onTokenRefused: () => showRefusal(form),
})
