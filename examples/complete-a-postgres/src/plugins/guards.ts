import type { FastifyContextConfig, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { requireRecentLogin } from '../accounts/reauthenticate.ts'
import { ApiError, type ProblemName } from '../errors/api-error.ts'
import type { AddressLimit } from '../limits/address-limit.ts'
import { limitUser } from '../limits/attempts.ts'
import { logEvent } from '../problem.ts'
import { guard } from '../schemas/problem.ts'
import { type Caller, findCaller } from '../sessions/caller.ts'
import type { User } from '../users/users.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The caller of an access token, as the guards find it. @throws ApiError of `bearerProblems` */
    callerOf(token: string): Promise<Caller>
    /** The caller of a request without an Authorization header. An addition can set it. @throws ApiError if they are refused */
    otherCaller?: (request: FastifyRequest) => Promise<Caller | undefined>
    /** Guard for routes that need no user: RATE_LIMIT_AUTH_REQUESTS, for all of them together. */
    limitRequests: onRequestAsyncHookHandler
    /** Guard: requires a valid access token. Sets `request.user`. */
    requireUser: onRequestAsyncHookHandler
    /** Guard: lets everyone in. Sets `request.optionalUser`, null without a valid access token. */
    loadUser: onRequestAsyncHookHandler
    /** Guard: users who logged in less than 10 minutes ago. After requireUser: `[app.requireUser, app.requireRecentLogin]`. */
    requireRecentLogin: onRequestAsyncHookHandler
    /** A limit of `max` attempts per client address and minute, to call in a route: `await limit.take(request.ip)`. */
    addressLimit(name: string, max: number): AddressLimit
    /**
     * A limit of `max` requests per user and hour, whatever their outcome, as a guard after `requireUser`:
     * `onRequest: [app.requireUser, app.userLimit('posts', 30)]`. Counted in the database, for all instances together.
     * Routes with one name share a count.
     */
    userLimit(name: string, max: number): onRequestAsyncHookHandler
    /** Guard: verified users only. Comes after requireUser: `[app.requireUser, app.requireVerifiedUser]`. */
    requireVerifiedUser: onRequestAsyncHookHandler
  }
  interface FastifyContextConfig {
    /** For `config` of a route: also open to users whom LOGIN_REQUIRES_VERIFIED_EMAIL keeps out, so that they can verify. */
    unverifiedUsers?: boolean
  }
  interface FastifyRequest {
    /** The caller or null, set by the guards. */
    optionalCaller: Caller | null
    /** The caller. Throws in a route without the guard `requireUser`, which was probably left open by mistake. */
    readonly caller: Caller
    /** The caller's row. */
    readonly user: User
    /** The caller's row, or null. */
    readonly optionalUser: User | null
  }
}

/** The errors of every route behind `app.requireUser`. */
export const bearerProblems = [
  'not_authenticated',
  'token_expired',
  'invalid_token',
  // With LOGIN_REQUIRES_VERIFIED_EMAIL.
  'user_not_verified',
] as const satisfies ProblemName[]

/** The guards and limits for routes: `{ onRequest: app.requireUser }`. */
export default fp(
  async (app) => {
    const { config, ctx } = app
    const requests = ctx.addressLimits.limit('auth-requests', config.rateLimits.authRequests)

    /** @throws ApiError of `bearerProblems` */
    async function authenticate(request: FastifyRequest): Promise<void> {
      const other = request.headers.authorization === undefined ? await app.otherCaller?.(request) : undefined
      const caller = other ?? (await callerOf(bearerToken(request)))
      request.optionalCaller = admit({ caller, route: request.routeOptions.config })
    }

    async function callerOf(token: string): Promise<Caller> {
      const accessToken = ctx.accessTokens.verify(token)
      // With the signature alone, a stolen token or a deactivated user would be accepted until the token expires.
      const caller = await findCaller(ctx, accessToken)
      // After a restored backup, the id may belong to another user.
      if (!caller || caller.user.username !== accessToken.username)
        throw new ApiError('invalid_token', { log: { userId: accessToken.userId } })
      return caller
    }

    function admit(given: { caller: Caller; route?: FastifyContextConfig }): Caller {
      const { caller } = given
      if (!caller.user.isActive) throw new ApiError('invalid_token', { log: { userId: caller.user.id } })
      // An address that nobody verified must not be enough for a session from before the setting.
      const isOpen = caller.user.isVerified || given.route?.unverifiedUsers
      if (config.accounts.loginRequiresVerifiedEmail && !isOpen) throw new ApiError('user_not_verified')
      return caller
    }

    app.decorateRequest('optionalCaller', null)
    app.decorateRequest('caller', {
      getter() {
        if (this.optionalCaller === null)
          throw new Error(`${this.routeOptions.url} needs a guard: add onRequest: app.requireUser`)
        return this.optionalCaller
      },
    })
    app.decorateRequest('user', {
      getter() {
        return this.caller.user
      },
    })
    app.decorateRequest('optionalUser', {
      getter() {
        return this.optionalCaller?.user ?? null
      },
    })

    // Before the body is read, and whatever token is sent: one client's flood must not slow down everyone else.
    const limitRequests: onRequestAsyncHookHandler = async (request) => {
      await requests.take(request.ip)
    }
    app.decorate('limitRequests', guard(['too_many_requests'], limitRequests))
    app.decorate('callerOf', async (token) => admit({ caller: await callerOf(token) }))
    app.decorate('requireUser', guard(bearerProblems, authenticate))
    app.decorate('loadUser', async (request) => {
      try {
        await authenticate(request)
      } catch (error) {
        // With a bad token the caller is anonymous. A database failure is still an error.
        if (!(error instanceof ApiError)) throw error
        if (error.logEntry && request.headers.authorization !== undefined) logEvent(request, error.logEntry)
      }
    })

    // For what an unlocked browser or a stolen token must not be enough for.
    const recentLogin: onRequestAsyncHookHandler = async (request) => requireRecentLogin(ctx, request.caller)
    app.decorate('requireRecentLogin', guard(['reauthentication_required'], recentLogin))
    // Reads the flag from the user's row, not from the token: a new address must be verified again.
    app.decorate('requireVerifiedUser', async (request) => {
      if (!request.user.isVerified) throw new ApiError('user_not_verified')
    })
    app.decorate('addressLimit', (name, max) => ctx.addressLimits.limit(name, max))
    // By user: one with many addresses or tokens cannot fill the database.
    app.decorate('userLimit', (name, max) =>
      guard(['too_many_requests'], async (request: FastifyRequest) => {
        await limitUser(ctx, request.user.id, `route ${name}`, max)
      }),
    )
  },
  { name: 'guards' },
)

/** The token of the Authorization header (RFC 6750 section 2.1). @throws ApiError not_authenticated */
export function bearerToken({ headers }: FastifyRequest): string {
  const [, token] = /^Bearer +([^ ].*)$/i.exec(headers.authorization ?? '') ?? []
  if (token === undefined) throw new ApiError('not_authenticated')
  return token
}
