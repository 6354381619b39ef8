import { startAccount } from './account-page.js'
import { offerEmailChange } from './change-email.js'
import { endSession } from './session.js'

offerEmailChange()
// The service has nothing to end: without its token, this browser is logged out.
document.querySelector('#log-out').addEventListener('click', () => endSession('logged-out'))
await startAccount()
