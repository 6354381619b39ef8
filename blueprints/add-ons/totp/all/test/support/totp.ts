import { codeAt } from '../../src/totp/codes.ts'
import { password, tryLogIn } from './accounts.ts'
import type { TestApp } from './app.ts'
import { post, registerVerified, startSession, tokensIn } from './flows.ts'
import { emailedCode, pendingIn } from './made-up-factor.ts'

/** What an authenticator app shows. @param steps how many steps its clock is ahead */
export const codeOf = ({ now }: Pick<TestApp, 'now'>, secret: string, steps = 0): string =>
  codeAt(secret, Math.floor(now() / 30_000) + steps)

export async function setUp(app: TestApp, accessToken: string) {
  const response = await post(app, 'totp/setup', undefined, accessToken)
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json<{ secret: string; otpauth_url: string; qr_svg: string }>()
}

/** Turns the app of a verified user on, and moves the clock past the code that it took. */
export async function turnOn(app: TestApp, accessToken: string, email?: string) {
  const { secret } = await setUp(app, accessToken)
  await post(app, 'totp/confirm', {}, accessToken)
  const body = { code: codeOf(app, secret), emailed_token: await emailedCode(app, email) }
  const response = await post(app, 'totp/confirm', body, accessToken)
  if (response.statusCode !== 200) throw new Error(response.body)
  const codes: string[] = response.json().recovery_codes
  app.clock.advance(30)
  return { secret, codes }
}

/** Registers a verified user with an authenticator app. */
export async function registerWithTotp(app: TestApp, username = 'alice') {
  const user = await registerVerified(app, username)
  const { accessToken } = await startSession(app, username)
  return { ...user, accessToken, ...(await turnOn(app, accessToken, user.email)) }
}

/** The token of a pending login. */
export const mfaToken = async (app: TestApp, username = 'alice', given = password) =>
  pendingIn(await tryLogIn(app, username, given)).mfa_token

/** Finishes a login with a code. */
export const sendTotp = async (app: TestApp, code: string, username = 'alice') =>
  post(app, 'mfa', { mfa_token: await mfaToken(app, username), code })

/** Logs in with the code of now, and moves the clock past it. */
export async function logInWithTotp(app: TestApp, secret: string, username = 'alice') {
  const tokens = tokensIn(await sendTotp(app, codeOf(app, secret), username))
  app.clock.advance(30)
  return tokens
}
