import type { TestApp } from './app.ts'
import { handleRequests, post } from './flows.ts'
import { emailedTokens } from './mailbox.ts'

/** Requests a login by email, and handles the request. @returns the newest token in the mailbox, or an empty text */
export async function requestLogin(app: TestApp, email = 'alice@example.com'): Promise<string> {
  await post(app, 'email-login', { email })
  await handleRequests(app)
  return (await emailedTokens(app, 'email_login', email)).at(-1) ?? ''
}

export const confirmLogin = (app: TestApp, token: string) => post(app, 'email-login/confirm', { token })
