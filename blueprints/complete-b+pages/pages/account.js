import { startAccount } from './account-page.js'
import { offerEmailChange } from './change-email.js'
import { offerPasswordChange } from './change-password.js'
import { offerLogOutEverywhere, showDevices } from './devices.js'
import { offerCancellation, showPendingEmail } from './pending-email.js'
import { offerVerification, showVerification } from './resend-verification.js'
import { send } from './service.js'
import { endSession } from './session.js'

offerVerification()
offerEmailChange()
offerCancellation()
offerPasswordChange()
offerLogOutEverywhere()
document
  .querySelector('#log-out')
  .addEventListener('click', () =>
    endSession('logged-out', (refreshToken) => send('auth/logout', { refresh_token: refreshToken })),
  )
await startAccount((user) => {
  showVerification(user)
  showPendingEmail(user)
  showDevices()
})
