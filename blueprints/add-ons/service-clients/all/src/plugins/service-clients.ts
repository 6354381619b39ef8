import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError, type ProblemName } from '../errors/api-error.ts'
import { guard } from '../schemas/problem.ts'
import { createClientLookup } from '../service-clients/clients.ts'
import { readClientToken } from '../service-clients/tokens.ts'
import { bearerToken } from './guards.ts'

/** The sender of a request, a program without a user. */
export interface ClientCaller {
  /** The `client_id`. */
  name: string
  /** What this access token may do. */
  scopes: string[]
  /** Seconds since 1970. */
  issuedAt: number
  /** Seconds since 1970. */
  expiresAt: number
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Finds a client by its name. */
    findServiceClient: ReturnType<typeof createClientLookup>
    /** The client of an access token. @throws ApiError token_expired or invalid_token */
    serviceClientOf(token: string): Promise<ClientCaller>
    /**
     * Guard: requires an access token of a service client with all these scopes: `onRequest: app.requireClient('orders:read')`.
     * Sets `request.serviceClient`. Refuses users.
     */
    requireClient(...scopes: string[]): onRequestAsyncHookHandler
  }
  interface FastifyRequest {
    /** The client. Throws in a route without the guard `requireClient`, which was probably left open by mistake. */
    readonly serviceClient: ClientCaller
    /** The client or null, set by the guard. */
    optionalServiceClient: ClientCaller | null
  }
}

declare module '../errors/api-error.ts' {
  interface LogEntry {
    /** The name of a service client. */
    client?: string
  }
}

/** The errors of `requireClient`. */
const clientProblems: ProblemName[] = [
  'not_authenticated',
  'token_expired',
  'invalid_token',
  'insufficient_scope',
]

/** The guard for routes that programs without a user call. */
export default fp(
  async (app) => {
    const { ctx } = app
    const find = createClientLookup(app.db)

    app.decorate('findServiceClient', find)
    app.decorate('serviceClientOf', async (token) => {
      const { name, scopes, issuedAt, expiresAt } = readClientToken(ctx, token)
      // With the signature alone, a revoked client would be let in until its token expires.
      const client = await find(name)
      if (!client || client.revokedAt) throw new ApiError('invalid_token', { log: { client: name } })
      return { name, scopes, issuedAt, expiresAt }
    })
    app.decorateRequest('optionalServiceClient', null)
    app.decorateRequest('serviceClient', {
      getter() {
        if (this.optionalServiceClient === null)
          throw new Error(`${this.routeOptions.url} needs a guard: add onRequest: app.requireClient(…)`)
        return this.optionalServiceClient
      },
    })
    app.decorate('requireClient', (...scopes) =>
      guard(clientProblems, async (request: FastifyRequest) => {
        const client = await app.serviceClientOf(bearerToken(request))
        if (!scopes.every((scope) => client.scopes.includes(scope)))
          throw new ApiError('insufficient_scope', { log: { client: client.name } })
        request.optionalServiceClient = client
      }),
    )
  },
  { name: 'service-clients' },
)
