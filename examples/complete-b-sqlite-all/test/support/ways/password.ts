import { password, tryLogIn } from '../accounts.ts'
import type { Way } from '../ways.ts'

export default {
  name: 'a password',
  begin: (app) => tryLogIn(app, 'alice', password),
  amr: ['pwd'],
  refusal: 'invalid_credentials',
} satisfies Way
