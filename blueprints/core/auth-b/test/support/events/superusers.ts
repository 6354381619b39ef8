import { bearer, register } from '../accounts.ts'
import { runCommand } from '../commands.ts'
import { type Actions, loggedIn } from '../events.ts'

const actions: Actions = {
  'access.forbidden': async (app) => {
    app.get('/superusers', { onRequest: [app.requireUser, app.requireSuperuser] }, async () => ({}))
    await app.inject({ url: '/superusers', headers: bearer((await loggedIn(app)).token) })
  },
  'user.promoted': async (app) => runCommand(app, 'promote', (await register(app)).username),
  'user.demoted': async (app) => runCommand(app, 'demote', (await register(app)).username),
}

export default actions
