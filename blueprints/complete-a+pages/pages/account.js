import { startAccount } from './account-page.js'
import { offerEmailChange } from './change-email.js'
import { offerCancellation, showPendingEmail } from './pending-email.js'
import { offerVerification, showVerification } from './resend-verification.js'
import { endSession } from './session.js'

offerVerification()
offerEmailChange()
offerCancellation()
// The service has no logout: without its tokens, this browser is logged out.
document.querySelector('#log-out').addEventListener('click', () => endSession('logged-out'))
await startAccount((user) => {
  showVerification(user)
  showPendingEmail(user)
})
