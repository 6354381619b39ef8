import { readToken, showRefusal, startWithToken } from './emailed-token.js'
import { handleForm } from './form.js'
import { showDone } from './sections.js'

const form = document.querySelector('#task form')

startWithToken()
handleForm(form, 'auth/undo-email-change', {
  body: () => ({ token: readToken(form) }),
  onDone: () => showDone(),
  onTokenRefused: () => showRefusal(form),
})
