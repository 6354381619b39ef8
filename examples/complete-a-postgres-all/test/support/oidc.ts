import { createHash, randomBytes } from 'node:crypto'
import { bearer } from './accounts.ts'
import { createTestApp, type TestApp } from './app.ts'
import { post, registerVerified, startSession, tokensIn } from './flows.ts'
import { emailedCode } from './made-up-factor.ts'
import { settingsOf, startProvider, type TestProvider } from './provider.ts'

type Answer = Awaited<ReturnType<typeof post>>

/** What a front end keeps until its page `sign-in`. */
export const createVerifier = (): string => randomBytes(32).toString('base64url')
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** An app that trusts a provider, whose addresses count as verified. */
export async function appWithProvider(env: Record<string, string> = {}) {
  const provider = await startProvider()
  const app = await createTestApp({ ...settingsOf(provider), OIDC_ACME_EMAIL_TRUSTED: 'true', ...env })
  return { app, provider }
}

/** GET auth/oidc/:provider. */
export const open = (app: TestApp, query: Record<string, string>, name = 'acme', cookie?: string) =>
  app.inject({
    url: `/api/v1/auth/oidc/${name}?${new URLSearchParams(query)}`,
    headers: cookie ? { cookie } : {},
  })

export const locationOf = ({ headers }: Answer): string => String(headers.location ?? '')

/** The cookie of an answer, as a browser sends it back. */
export const cookieOf = ({ headers }: Answer): string =>
  String(headers['set-cookie'] ?? '').split(';')[0] ?? ''

/** GET auth/oidc/:provider/callback. */
export const callback = (app: TestApp, query: string, cookie = '', name = 'acme') =>
  app.inject({ url: `/api/v1/auth/oidc/${name}/callback${query}`, headers: cookie ? { cookie } : {} })

/** What the page of the front end gets. */
export function fragmentOf(answer: Answer): Partial<Record<string, string>> {
  if (answer.statusCode !== 302) throw new Error(`${answer.statusCode}: ${answer.body}`)
  return Object.fromEntries(new URLSearchParams(new URL(locationOf(answer)).hash.slice(1)))
}

export interface Began {
  verifier: string
  cookie: string
  /** The query with which the provider sends the browser back. */
  query: string
}

/** Leads a browser to the provider and, there, to the end. */
export async function begin(
  app: TestApp,
  provider: Pick<TestProvider, 'authorize'>,
  more: Record<string, string> = {},
  name = 'acme',
): Promise<Began> {
  const verifier = createVerifier()
  const started = await open(app, { code_challenge: challengeOf(verifier), ...more }, name)
  return { verifier, cookie: cookieOf(started), query: provider.authorize(locationOf(started)) }
}

/** The fragment with which a whole flow leads to the page of the front end. */
export async function visit(app: TestApp, provider: Pick<TestProvider, 'authorize'>, name = 'acme') {
  const { verifier, cookie, query } = await begin(app, provider, {}, name)
  const { code, error } = fragmentOf(await callback(app, query, cookie, name))
  return { verifier, code, error }
}

/** POST auth/oidc/exchange. */
export const exchange = (
  app: TestApp,
  code: string | undefined,
  code_verifier: string,
  accessToken?: string,
) => post(app, 'oidc/exchange', { code, code_verifier }, accessToken)

/** Signs in at the provider, up to what the exchange answers. */
export async function signIn(app: TestApp, provider: Pick<TestProvider, 'authorize'>, name = 'acme') {
  const { verifier, code, error } = await visit(app, provider, name)
  if (error) throw new Error(error)
  return exchange(app, code, verifier)
}

/** The emailed token of a session, which the first request without one asks for. */
export async function askForEmailed(app: TestApp, accessToken: string, email?: string, name = 'acme') {
  await post(app, `oidc/${name}/link`, { code_challenge: challengeOf('') }, accessToken)
  return emailedCode(app, email)
}

/** Adds the provider's account to a user, up to what the exchange answers. @param given what confirms it */
export async function link(
  app: TestApp,
  provider: TestProvider,
  accessToken: string,
  given: { emailed_token?: string; code?: string },
) {
  const verifier = createVerifier()
  const asked = await post(
    app,
    'oidc/acme/link',
    { code_challenge: challengeOf(verifier), ...given },
    accessToken,
  )
  if (asked.statusCode !== 200) return asked
  const opened = await app.inject({ url: asked.json().url })
  const query = provider.authorize(locationOf(opened))
  const { code } = fragmentOf(await callback(app, query, cookieOf(opened)))
  return exchange(app, code, verifier, accessToken)
}

/** Registers a verified user with a password, and adds the provider's account. */
export async function registerLinked(app: TestApp, provider: TestProvider, username = 'alice') {
  const user = await registerVerified(app, username)
  const { accessToken } = await startSession(app, username)
  const emailed_token = await askForEmailed(app, accessToken, user.email)
  const answer = await link(app, provider, accessToken, { emailed_token })
  if (answer.statusCode !== 204) throw new Error(answer.body)
  return { ...user, accessToken }
}

export const listIdentities = async (app: TestApp, accessToken: string) =>
  (await app.inject({ url: '/api/v1/auth/identities', headers: bearer(accessToken) })).json().identities

/** DELETE auth/identities/:id. */
export const removeIdentity = (app: TestApp, id: number, accessToken: string, body?: object) =>
  app.inject({
    method: 'DELETE',
    url: `/api/v1/auth/identities/${id}`,
    headers: bearer(accessToken),
    ...(body && { body }),
  })

/** The access token of a sign-in. */
export const signedIn = async (app: TestApp, provider: Pick<TestProvider, 'authorize'>, name = 'acme') =>
  tokensIn(await signIn(app, provider, name)).accessToken
