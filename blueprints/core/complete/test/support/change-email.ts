import { putMe } from './accounts.ts'
import type { TestApp } from './app.ts'
import { verify } from './flows.ts'
import { emailedToken } from './mailbox.ts'

/** Changes the address of the user of an access token, and confirms the new one. @returns the response */
export async function changeEmail(app: TestApp, accessToken: string, email: string) {
  const requested = await putMe(app, accessToken, { email })
  if (requested.statusCode !== 200) return requested
  return verify(app, await emailedToken(app, 'confirm', email.toLowerCase()), accessToken)
}
