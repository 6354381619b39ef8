import { ApiError } from '../../../src/errors/api-error.ts'
import { bearer, logIn, password, tryLogIn } from '../accounts.ts'
import type { TestApp } from '../app.ts'
import { runCommand } from '../commands.ts'
import type { Actions } from '../events.ts'
import { post, registerVerified, requestReset, resetPassword, tokensIn } from '../flows.ts'
import { addEnrolment, addFactor, pendingIn, registerWithFactor, sendCode } from '../made-up-factor.ts'

/** Logs alice in with the made-up factor. */
async function loggedIn(app: TestApp) {
  await registerWithFactor(app, addFactor())
  const { mfa_token } = pendingIn(await tryLogIn(app, 'alice', password))
  return tokensIn(await sendCode(app, mfa_token)).accessToken
}

const actions: Actions = {
  'login.mfa_required': loggedIn,
  'mfa_token.refused': (app) => sendCode(app, 'made-up'),
  'mfa.failed': async (app) => {
    await registerWithFactor(app, addFactor())
    await sendCode(app, pendingIn(await tryLogIn(app, 'alice', password)).mfa_token, 'wrong')
  },
  'code.refused': async (app) => {
    app.get('/refusing', { onRequest: app.requireUser }, () => Promise.reject(new ApiError('invalid_code')))
    await registerVerified(app)
    await app.inject({ url: '/refusing', headers: bearer(await logIn(app)) })
  },
  'additions.undone': async (app) => {
    await registerVerified(app)
    const token = await requestReset(app)
    await resetPassword(app, token)
    await post(app, 'undo-additions', { token })
  },
  'emailed_token.required': async (app) => {
    addEnrolment(app, addFactor())
    await registerVerified(app)
    await post(app, 'enrol', {}, await logIn(app))
  },
  'access.mfa_needed': async (app) => {
    app.get('/guarded', { onRequest: [app.requireUser, app.requireMfa] }, async () => ({}))
    await registerVerified(app)
    await app.inject({ url: '/guarded', headers: bearer(await logIn(app)) })
  },
  'mfa.reset': async (app) => runCommand(app, 'reset-mfa', (await registerVerified(app)).username),
}

export default actions
