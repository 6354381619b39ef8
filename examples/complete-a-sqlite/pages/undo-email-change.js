import { handleForm } from './form.js'
import { readToken, showRefusal, startWithToken } from './mailed-token.js'
import { showSection } from './sections.js'

const form = document.querySelector('#task form')

startWithToken()
handleForm(form, 'auth/undo-email-change', {
  body: () => ({ token: readToken(form) }),
  onDone: () => showSection('done'),
  onTokenRefused: () => showRefusal(form),
})
