import { readToken, showRefusal, startWithToken } from './emailed-token.js'
import { handleForm } from './form.js'
import { offerLogIn, showReason } from './log-in.js'
import { offerNewEmail } from './new-email.js'
import { showDone, showSection } from './sections.js'
import { request } from './service.js'
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

/** The answer without a login tells whether the token takes that of its user, as a change of the address does. */
async function submit(path, body) {
  const anonymous = await request('POST', path, { body, credentials: 'omit' })
  isChange = anonymous.code === 'not_authenticated'
  if (!isChange || !hasSession()) return anonymous
  // The first address of a user may take a login too, and changes nothing.
  const { answer: user } = await call('GET', 'users/me')
  if (!hasSession()) return anonymous
  isChange = Boolean(user.pending_email)
  const outcome = await call('POST', path, body)
  // The session has ended, or is that of another user.
  const isOther = !hasSession() || outcome.code === 'invalid_or_expired_token'
  return isOther ? anonymous : outcome
}
