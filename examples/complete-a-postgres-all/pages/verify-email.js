import { readToken, showRefusal, startWithToken } from './emailed-token.js'
import { handleForm } from './form.js'
import { offerLogIn, showReason } from './log-in.js'
import { offerNewEmail } from './new-email.js'
import { showDone, showSection } from './sections.js'
import { send } from './service.js'
import { call, hasSession, keepPage } from './session.js'

const form = document.querySelector('#task form')
let isChange = false

keepPage()
startWithToken()
offerNewEmail('auth/resend-verification')
offerLogIn(() => {
  showSection('task')
  form.requestSubmit()
})
handleForm(form, 'auth/verify-email', {
  body: () => ({ token: readToken(form) }),
  submit,
  onDone: ({ message }) => showDone(/undone/.test(message) ? 'undone' : isChange ? 'changed' : 'done'),
  onTokenRefused: () => showRefusal(form),
  onLogInRequired: () => {
    showReason(hasSession() ? 'other-account' : '')
    showSection('log-in')
  },
})

/** The answer without a login tells what the token is for: only a change of the address needs one, that of its user. */
async function submit(path, body) {
  const anonymous = await send(path, body)
  isChange = anonymous.code === 'not_authenticated'
  if (!isChange || !hasSession()) return anonymous
  const outcome = await call('POST', path, body)
  // The session has ended, or is that of another user.
  const isOther = !hasSession() || outcome.code === 'invalid_or_expired_token'
  return isOther ? anonymous : outcome
}
