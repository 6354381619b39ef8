import { readUser } from '../accounts.ts'
import { confirmLogin, requestLogin } from '../email-login.ts'
import type { Way } from '../ways.ts'

export default {
  name: 'an emailed token',
  async begin(app, id) {
    // Requests have RATE_LIMIT_MAIL_INTERVAL_SECONDS between them.
    app.clock.advance(60)
    return confirmLogin(app, await requestLogin(app, (await readUser(app, id)).email))
  },
  amr: [],
  refusal: 'invalid_or_expired_token',
  provesAddress: true,
} satisfies Way
