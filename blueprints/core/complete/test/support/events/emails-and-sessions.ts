import { bearer, logIn, password, putMe, register, tryLogIn } from '../accounts.ts'
import { changeEmail } from '../change-email.ts'
import { runCommand } from '../commands.ts'
import { type Actions, loggedIn } from '../events.ts'
import {
  forgotPassword,
  post,
  refresh,
  registerVerified,
  requestReset,
  resetPassword,
  runCleanUp,
  startSession,
  tokensIn,
  undoEmailChange,
  verify,
} from '../flows.ts'
import { emailedToken } from '../mailbox.ts'

const actions: Actions = {
  'login.not_verified': async (app) => {
    await register(app)
    await tryLogIn(app, 'alice', password)
  },
  'access.not_verified': async (app) => {
    app.get('/verified', { onRequest: [app.requireUser, app.requireVerifiedUser] }, async () => ({}))
    await app.inject({ url: '/verified', headers: bearer((await loggedIn(app)).token) })
  },
  'refresh.succeeded': async (app) => {
    await register(app)
    await refresh(app, (await startSession(app)).refreshToken)
  },
  'refresh.failed': (app) => refresh(app, 'made-up'),
  'refresh.replayed': async (app) => {
    await register(app)
    const first = await startSession(app)
    const second = tokensIn(await refresh(app, first.refreshToken))
    await refresh(app, second.refreshToken)
    await refresh(app, first.refreshToken)
  },
  'email_token.refused': (app) => verify(app, 'made-up'),
  'email.verified': (app) => registerVerified(app),
  'verification.requested': (app) => post(app, 'resend-verification', { email: 'alice@example.com' }),
  'password_reset.requested': (app) => forgotPassword(app),
  'password_reset.link_created': async (app) =>
    runCommand(app, 'reset-link', (await registerVerified(app)).username),
  'password.reset': async (app) => {
    await register(app)
    await resetPassword(app, await requestReset(app))
  },
  'user.email_change_undone': async (app) => {
    await registerVerified(app)
    await changeEmail(app, await logIn(app), 'new@example.com')
    await undoEmailChange(app, await emailedToken(app, 'undo'))
  },
  'user.email_change_requested': async (app) =>
    putMe(app, (await loggedIn(app)).token, { email: 'new@example.com' }),
  'user.email_change_cancelled': async (app) => {
    const { token } = await loggedIn(app)
    for (const email of ['new@example.com', 'alice@example.com']) await putMe(app, token, { email })
  },
  'user.email_set': async (app) =>
    runCommand(app, 'set-email', (await register(app)).username, 'new@example.com'),
  'registration.expired': async (app) => {
    await register(app)
    app.clock.advance(8 * 24 * 60 * 60)
    await runCleanUp(app)
  },
  'mail.limited': async (app) => {
    await register(app)
    await forgotPassword(app)
    app.clock.advance(60)
    await forgotPassword(app)
  },
}

export default actions
