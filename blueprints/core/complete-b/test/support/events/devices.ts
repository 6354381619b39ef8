import { bearer, register } from '../accounts.ts'
import { type Actions, loggedIn } from '../events.ts'
import { post, startSession } from '../flows.ts'

const actions: Actions = {
  'session.ended': async (app) => {
    await register(app)
    await post(app, 'logout', { refresh_token: (await startSession(app)).refreshToken })
  },
  'sessions.others_ended': async (app) => {
    const headers = bearer((await loggedIn(app)).token)
    await app.inject({ method: 'DELETE', url: '/api/v1/auth/devices', headers })
  },
  'session.not_found': async (app) => {
    await register(app, 'bob')
    await startSession(app, 'bob')
    const headers = bearer((await loggedIn(app)).token)
    await app.inject({ method: 'DELETE', url: '/api/v1/auth/devices/1', headers })
  },
}

export default actions
