import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import type { Context } from '../context.ts'
import { fetchWith, requireSafe } from '../outgoing.ts'
import { allowsLoopback, type Provider } from './providers.ts'

/** Why a flow ends without a user, as the front end is told. */
export type FlowProblem =
  | 'access_denied'
  | 'account_exists'
  | 'email_missing'
  | 'invalid_answer'
  | 'provider_unavailable'
  | 'registration_closed'

/** Ends a flow. Its cause is logged by its name only: it may contain what a provider or a user sent. */
export class FlowError extends Error {
  readonly problem: FlowProblem
  constructor(problem: FlowProblem, cause?: unknown) {
    super(problem, { cause })
    this.problem = problem
  }
}

/** The library, loaded with the first flow: services without a provider need none of it. */
export const openidClient = () => import('openid-client')

/** How long the documents of a provider are used, in milliseconds. */
const freshMs = 60 * 60_000

/**
 * Asks providers for their documents when they are needed: one that is down does not stop the start.
 * @returns a function that throws FlowError provider_unavailable
 */
export function createConfigurations({ config, now }: Context) {
  const fetch = fetchWith({ allowsLoopback: allowsLoopback(config) })
  const known = new Map<string, { until: number; found: Promise<Configuration> }>()

  const reach: CustomFetch = async (url, options) => {
    const answer = await fetch(url, options).catch((cause) => {
      throw new FlowError('provider_unavailable', cause)
    })
    if (answer.status < 500) return answer
    throw new FlowError('provider_unavailable', new Error(`Status ${answer.status}`))
  }

  return (provider: Provider): Promise<Configuration> => {
    const last = known.get(provider.name)
    if (last && last.until > now()) return last.found
    const found = discover(provider, reach, allowsLoopback(config)).catch((error) => {
      known.delete(provider.name)
      throw new FlowError('provider_unavailable', error)
    })
    known.set(provider.name, { found, until: now() + freshMs })
    return found
  }
}

async function discover(
  { issuer, clientId, clientSecret, api }: Provider,
  reach: CustomFetch,
  isLocal: boolean,
): Promise<Configuration> {
  const client = await openidClient()
  const authentication = authenticateClient(client, clientSecret)
  const found = api
    ? new client.Configuration(githubMetadata(issuer), clientId, {}, authentication)
    : await client.discovery(new URL(issuer), clientId, {}, authentication, {
        // Otherwise it does not look at the signature of an id_token that comes from the token endpoint.
        execute: [client.enableNonRepudiationChecks, client.allowInsecureRequests],
        [client.customFetch]: reach,
      })
  // `reach` decides about http.
  client.allowInsecureRequests(found)
  found[client.customFetch] = reach
  const metadata = found.serverMetadata()
  // The library lets Microsoft name other issuers than the one that was asked (supabase CVE-2026-31813).
  if (metadata.issuer !== issuer) throw new Error(`The issuer calls itself ${metadata.issuer.slice(0, 200)}`)
  // The browser is sent there, without `reach`.
  requireSafe(metadata.authorization_endpoint ?? '', isLocal)
  return found
}

/** GitHub has no discovery document for its sign-in. */
const githubMetadata = (issuer: string): ServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/access_token`,
  token_endpoint_auth_methods_supported: ['client_secret_post'],
})

/** As the provider's document asks for it: by HTTP Basic, also without a word (OpenID Connect Discovery 1.0, section 3). */
function authenticateClient(client: typeof import('openid-client'), secret: string): ClientAuth {
  const [inBody, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)]
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
    return methods.includes('client_secret_basic') ? basic(server, ...rest) : inBody(server, ...rest)
  }
}

/** What an error of the library means for the flow. */
export async function problemOf(error: unknown): Promise<FlowError> {
  if (!(error instanceof Error)) return new FlowError('invalid_answer')
  const [known] = [error, error.cause].filter((each) => each instanceof FlowError)
  if (known) return known
  const { AuthorizationResponseError } = await openidClient()
  const answered = error instanceof AuthorizationResponseError ? error.error : ''
  if (answered === 'access_denied') return new FlowError('access_denied', error)
  const isDown = ['server_error', 'temporarily_unavailable'].includes(answered)
  return new FlowError(isDown ? 'provider_unavailable' : 'invalid_answer', error)
}
