import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Provider from 'oidc-provider'
import type { Configuration } from 'oidc-provider'

/** The users of the provider, by their subject. */
export const users: Record<string, { name: string; email: string; email_verified: boolean }> = {
  olga: { name: 'Olga', email: 'olga@example.com', email_verified: true },
  pavel: { name: 'Pavel', email: 'pavel@example.com', email_verified: false },
}

export interface Options {
  /** 0 picks a free one. */
  port: number
  client: { id: string; secret: string }
  /** Where it sends users back. */
  redirectUri: string
}

/**
 * Starts an OpenID provider on this machine, for development and tests: it asks for no password.
 * @throws Error if the port is in use
 */
export async function startProvider(options: Options): Promise<{ origin: string; server: Server }> {
  let handle = (_request: IncomingMessage, response: ServerResponse): unknown => response.end()
  const server = createServer((request, response) => handle(request, response))
  // Only for this machine: whoever reaches it is any of its users.
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = await quietly(() => createProvider(origin, options))
  const answer = provider.callback()
  handle = (request, response) =>
    request.url?.startsWith('/choose/') ? choose(provider, request, response) : answer(request, response)
  return { origin, server }
}

async function createProvider(origin: string, { client, redirectUri }: Options): Promise<Provider> {
  const { default: OidcProvider, interactionPolicy } = await import('oidc-provider')
  const { Check, base } = interactionPolicy
  const policy = base()
  // Every time: otherwise the first choice would stay until the browser is closed.
  policy
    .get('login')
    ?.checks.add(
      new Check('choice', 'Choose a user', ({ oidc }) =>
        oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
      ),
    )
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const configuration: Configuration = {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [redirectUri],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'EC', alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    // As long as a flow, and not as the package warns of.
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_ctx, { uid }) => `/choose/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        preferred_username: accountId,
        ...users[accountId],
      }),
    }),
    /** Nobody is asked what the service may know. */
    async loadExistingGrant({ oidc }) {
      const accountId = oidc.session?.accountId ?? ''
      const grant = new oidc.provider.Grant({ clientId: client.id, accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
  return new OidcProvider(origin, configuration)
}

/** Shows the users, and goes on as the one who was chosen, or with a refusal. */
async function choose(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', provider.issuer)
  const accountId = searchParams.get('as')
  const result = accountId === '' ? { error: 'access_denied' } : { login: { accountId: accountId ?? '' } }
  if (accountId !== null && (accountId === '' || accountId in users))
    return provider.interactionFinished(request, response, result).catch(() => {
      response.writeHead(400, { 'content-type': 'text/plain' }).end('This sign-in is over. Start again.\n')
    })
  const choices = Object.entries(users).map(
    ([subject, { name, email, email_verified: isVerified }]) =>
      `<p><a href="${pathname}?as=${subject}">${name}</a> (${email}, ${isVerified ? '' : 'not '}verified)</p>`,
  )
  choices.push(`<p><a href="${pathname}?as=">Cancel</a></p>`)
  const page = [
    '<!doctype html><html lang="en"><title>Choose a user</title>',
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
    '<body style="margin: 2rem; font-family: system-ui"><h1>Choose a user</h1>',
    ...choices,
  ]
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page.join('\n'))
}

/** Without what the package warns of: Node 20, and that all is in memory. */
async function quietly<Result>(run: () => Promise<Result>): Promise<Result> {
  const { info, warn } = console
  Object.assign(console, { info: () => {}, warn: () => {} })
  try {
    return await run()
  } finally {
    Object.assign(console, { info, warn })
  }
}
