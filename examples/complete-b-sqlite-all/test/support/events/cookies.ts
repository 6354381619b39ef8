import { browse } from '../cookies.ts'
import type { Actions } from '../events.ts'

const actions: Actions = {
  'cookie.cross_site': (app) =>
    browse(app, { method: 'POST', url: 'auth/login?use_cookies=true', headers: {}, body: {} }),
}

export default actions
