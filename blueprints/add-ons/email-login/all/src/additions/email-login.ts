import type { Addition } from '../context.ts'
import { kind, loginEmail } from '../email-login/log-in.ts'

/** Makes emailed logins one more kind of emailed tokens: whatever ends those ends them too. */
export const emailLogin: Addition = (ctx) => {
  ctx.tokenEmails[kind] = loginEmail
}
