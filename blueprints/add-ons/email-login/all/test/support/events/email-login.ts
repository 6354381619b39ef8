import { requestLogin } from '../email-login.ts'
import type { Actions } from '../events.ts'

const actions: Actions = { 'email_login.requested': (app) => requestLogin(app) }

export default actions
