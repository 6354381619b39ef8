import { changeUser, getMe, password, putMe, register, tryLogIn } from '../accounts.ts'
import { changeEmail } from '../change-email.ts'
import { runCommand } from '../commands.ts'
import { type Actions, loggedIn } from '../events.ts'

const actions: Actions = {
  'user.registered': (app) => register(app),
  'user.duplicate': async (app) => {
    await register(app, 'bob')
    await putMe(app, (await loggedIn(app)).token, { email: 'bob@example.com' })
  },
  'registration.refused': (app) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      body: { username: 'alice', email: 'alice@example.com', password },
    }),
  'login.succeeded': loggedIn,
  'login.failed': async (app) => {
    await register(app)
    await tryLogIn(app, 'alice', 'Wrong-Horse-7')
  },
  'access_token.missing': (app) => getMe(app),
  'access_token.expired': async (app) => {
    const { token } = await loggedIn(app)
    app.clock.advance(24 * 60 * 60)
    await getMe(app, token)
  },
  'access_token.refused': async (app) => {
    const { id, token } = await loggedIn(app)
    await changeUser(app, id, { isActive: false })
    await getMe(app, token)
  },
  'reauthentication.failed': async (app) => {
    const { token } = await loggedIn(app)
    await putMe(app, token, { email: 'new@example.com', current_password: 'Wrong-Horse-7' })
  },
  'reauthentication.required': async (app) => {
    const { token } = await loggedIn(app)
    app.clock.advance(11 * 60)
    await putMe(app, token, { email: 'new@example.com' })
  },
  'user.email_changed': async (app) => changeEmail(app, (await loggedIn(app)).token, 'new@example.com'),
  'limit.reached': async (app) => {
    const { token } = await loggedIn(app)
    for (const email of ['one@example.com', 'two@example.com', 'three@example.com'])
      await putMe(app, token, { email })
  },
  'password.unusable_hash': async (app) => {
    const { id } = await register(app)
    await changeUser(app, id, { hashedPassword: 'damaged' })
    await tryLogIn(app, 'alice', password)
  },
  'proxy.not_trusted': (app) =>
    app.inject({ url: '/health/live', headers: { 'x-forwarded-for': '192.0.2.1' } }),
  'user.created': (app) => runCommand(app, 'create', 'alice', 'alice@example.com'),
  'user.activated': async (app) => runCommand(app, 'activate', (await register(app)).username),
  'user.deactivated': async (app) => runCommand(app, 'deactivate', (await register(app)).username),
  'password.changed': async (app) => runCommand(app, 'password', (await register(app)).username),
  'sessions.ended': async (app) => runCommand(app, 'end-sessions', (await register(app)).username),
}

export default actions
