import { handleEmailRequests } from '../../src/accounts/request-email.ts'
import { cleanUp } from '../../src/jobs/clean-up.ts'
import { bearer, password, register, tryLogIn } from './accounts.ts'
import type { TestApp } from './app.ts'
import { emailedToken } from './mailbox.ts'

export const newPassword = 'New-Horse-8'

/** POST /api/v1/auth/… */
export const post = (app: TestApp, path: string, body?: object, accessToken?: string) =>
  app.inject({
    method: 'POST',
    url: `/api/v1/auth/${path}`,
    headers: accessToken === undefined ? {} : bearer(accessToken),
    ...(body && { body }),
  })

export const refresh = (app: TestApp, refreshToken: string) =>
  post(app, 'refresh', { refresh_token: refreshToken })

export interface Tokens {
  accessToken: string
  refreshToken: string
}

/** Reads the tokens from the response of a login, a refresh or a password change. */
export function tokensIn(response: Awaited<ReturnType<typeof post>>): Tokens {
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${response.body}`)
  const { access_token: accessToken, refresh_token: refreshToken } = response.json()
  return { accessToken, refreshToken }
}

/** Logs a user in, which starts a session. */
export const startSession = async (app: TestApp, username = 'alice', given = password) =>
  tokensIn(await tryLogIn(app, username, given))

/** @param accessToken for the token of a change, which needs the login of its user */
export const verify = (app: TestApp, token: string, accessToken?: string) =>
  post(app, 'verify-email', { token }, accessToken)

/** Registers a user and confirms their address. */
export async function registerVerified(app: TestApp, username = 'alice') {
  const user = await register(app, username)
  await verify(app, await emailedToken(app, 'verification', user.email))
  return user
}

/** Handles the requests for emails that wait, as the job does every second. */
export const handleRequests = (app: TestApp) => handleEmailRequests(app.ctx)

/** Deletes expired rows, as the job does every ten minutes. */
export const runCleanUp = (app: TestApp) => cleanUp(app.ctx)

/** Requests a password reset, and handles the request. @returns the response */
export const forgotPassword = (app: TestApp, email = 'alice@example.com') =>
  requestEmail(app, 'forgot-password', email)

/** Requests a verification, and handles the request. @returns the response */
export const resendVerification = (app: TestApp, email = 'alice@example.com') =>
  requestEmail(app, 'resend-verification', email)

async function requestEmail(app: TestApp, path: string, email: string) {
  const response = await post(app, path, { email })
  await handleRequests(app)
  return response
}

export const resetPassword = (app: TestApp, token: string, given = newPassword) =>
  post(app, 'reset-password', { token, new_password: given })

export const undoEmailChange = (app: TestApp, token: string) => post(app, 'undo-email-change', { token })

/** Requests a password reset. @returns the token in the email */
export async function requestReset(app: TestApp, email = 'alice@example.com') {
  await forgotPassword(app, email)
  return emailedToken(app, 'reset', email)
}
