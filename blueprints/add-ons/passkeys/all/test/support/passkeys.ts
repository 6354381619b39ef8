import { bearer } from './accounts.ts'
import type { TestApp } from './app.ts'
import { Authenticator } from './authenticator.ts'
import { post, registerVerified, startSession, tokensIn } from './flows.ts'
import { emailedCode } from './made-up-factor.ts'

/** The code that the first request without one has emailed. */
export async function askForEmailed(app: TestApp, accessToken: string, email?: string) {
  await post(app, 'passkeys/options', {}, accessToken)
  return emailedCode(app, email)
}

export async function optionsOf(response: Awaited<ReturnType<typeof post>>) {
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json().options
}

/** Adds a passkey of a verified user. */
export async function addPasskey(app: TestApp, accessToken: string, email?: string, proof: object = {}) {
  const device = new Authenticator()
  const emailed_token = await askForEmailed(app, accessToken, email)
  const options = await optionsOf(
    await post(app, 'passkeys/options', { emailed_token, ...proof }, accessToken),
  )
  const body = { name: 'Phone', credential: device.create(options), emailed_token }
  const response = await post(app, 'passkeys', body, accessToken)
  if (response.statusCode !== 201) throw new Error(response.body)
  return { device, id: response.json<{ id: number }>().id }
}

/** Registers a verified user with a passkey. */
export async function registerWithPasskey(app: TestApp, username = 'alice') {
  const user = await registerVerified(app, username)
  const { accessToken } = await startSession(app, username)
  return { ...user, userId: user.id, accessToken, ...(await addPasskey(app, accessToken, user.email)) }
}

export const loginOptions = async (app: TestApp) => optionsOf(await post(app, 'passkeys/login/options'))

/** POST auth/passkeys/login with a fresh challenge. */
export const sendPasskey = async (app: TestApp, device: Authenticator, ...changes: [object?]) =>
  post(app, 'passkeys/login', { credential: device.get(await loginOptions(app), ...changes) })

export const logInWithPasskey = async (app: TestApp, device: Authenticator) =>
  tokensIn(await sendPasskey(app, device))

export const listPasskeys = async (app: TestApp, accessToken: string) =>
  (await app.inject({ url: '/api/v1/auth/passkeys', headers: bearer(accessToken) })).json()

export const changePasskey = (
  app: TestApp,
  method: 'PATCH' | 'DELETE',
  id: number,
  accessToken: string,
  body?: object,
) =>
  app.inject({
    method,
    url: `/api/v1/auth/passkeys/${id}`,
    headers: bearer(accessToken),
    ...(body && { body }),
  })
