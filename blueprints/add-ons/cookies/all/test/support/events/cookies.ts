import { browse, cookieIn, logInForCookie } from '../cookies.ts'
import type { Actions } from '../events.ts'
import { registerVerified } from '../flows.ts'

const actions: Actions = {
  'cookie.logged_out': async (app) => {
    await registerVerified(app)
    const cookie = cookieIn(await logInForCookie(app))
    await browse(app, { method: 'POST', url: 'auth/logout', cookie })
  },
  'cookie.cross_site': (app) =>
    browse(app, { method: 'POST', url: 'auth/login?use_cookies=true', headers: {}, body: {} }),
}

export default actions
