import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { z } from 'zod'
import { isSameSite, isUnsafe } from '../cookies/same-site.ts'
import { readCookie, writeCookie } from '../cookies/session-cookie.ts'
import { endCookieSession, findCookieCaller, keepAlive, startCookieSession } from '../cookies/sessions.ts'
import { ApiError } from '../errors/api-error.ts'
import { logEvent } from '../problem.ts'
import { tokenResponse } from '../schemas/user.ts'
import type { Caller } from '../sessions/caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller that a cookie named, whom a guard has let in. */
    cookieCaller: Caller | null
  }
}

const query = z.strictObject({
  use_cookies: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: '`true`: 204 and a cookie in place of the tokens' }),
})

const cookieSet = z.undefined().meta({ description: 'With `use_cookies=true`: the cookie is set' })

const refreshTokenOf = (answer: unknown): string | undefined =>
  typeof answer === 'object' && answer !== null && 'refresh_token' in answer
    ? String(answer.refresh_token)
    : undefined

/** Lets guards accept the cookie of a session, and every route that answers with tokens set one instead. */
export default fp(async (app) => {
  const { config, ctx } = app
  const cookieOf = ({ headers }: FastifyRequest) => readCookie(config, headers.cookie)
  const isAsked = ({ query }: FastifyRequest) => (query as { use_cookies?: string }).use_cookies === 'true'

  app.decorateRequest('cookieCaller', null)
  app.corsOrigins.push(...config.cookies.origins)

  // Before everything else: a cross-site request learns nothing, and counts against no limit of the user.
  app.addHook('onRequest', (request, _reply, done) => {
    const hasCookie = request.headers.authorization === undefined && cookieOf(request) !== undefined
    const isChecked = (hasCookie && isUnsafe(request)) || isAsked(request)
    done(isChecked && !isSameSite(config, request) ? new ApiError('cross_site_request') : undefined)
  })

  app.decorate('otherCaller', async (request: FastifyRequest) => {
    const value = cookieOf(request)
    if (value === undefined) return undefined
    const found = await findCookieCaller(ctx, value)
    if (!found) throw new ApiError('invalid_token')
    await keepAlive(ctx, found.session, { address: request.ip, userAgent: request.headers['user-agent'] })
    request.cookieCaller = found.caller
    return found.caller
  })

  app.addHook('onSend', (request, reply, _payload, done) => {
    const { origin = '' } = request.headers
    if (config.cookies.origins.includes(origin)) reply.header('access-control-allow-credentials', 'true')
    done()
  })

  app.addHook('onRoute', (route) => {
    if (Object.values(route.schema?.response ?? {}).includes(tokenResponse)) answerWithCookie(route)
    if (route.method === 'POST' && route.url === '/api/v1/auth/logout') endWithCookie(route)
  })

  function answerWithCookie(route: RouteOptions): void {
    const { handler, schema = {} } = route
    const { problems = [], response } = schema
    schema.querystring = query
    schema.response = { ...(response as object), 204: cookieSet }
    schema.problems = [...problems, 'cross_site_request']
    route.handler = async function (this, request, reply) {
      const answer = await handler.call(this, request, reply)
      const refreshToken = refreshTokenOf(answer)
      // What a cookie has authenticated never answers with tokens: a script could read them.
      const isByCookie = request.cookieCaller !== null
      if (refreshToken === undefined || !(isAsked(request) || isByCookie)) return answer
      const value = cookieOf(request)
      const before =
        request.cookieCaller ?? (value ? (await findCookieCaller(ctx, value))?.caller : undefined)
      const cookie = await startCookieSession(ctx, refreshToken, before)
      return reply.header('set-cookie', writeCookie(config, cookie)).code(204).send()
    }
  }

  /** Also clears the cookie of a session that is over. */
  function endWithCookie(route: RouteOptions): void {
    const { handler } = route
    route.handler = async function (this, request, reply) {
      const { authorization } = request.headers
      const value = authorization === undefined ? cookieOf(request) : undefined
      if (value === undefined) return handler.call(this, request, reply)
      const found = await findCookieCaller(ctx, value)
      if (found) {
        const { caller } = found
        await endCookieSession(ctx, caller)
        logEvent(request, { event: 'session.ended', userId: caller.user.id, sessionId: caller.sessionId })
      }
      return clear(reply).code(204).send()
    }
  }

  const clear = (reply: FastifyReply) => reply.header('set-cookie', writeCookie(config, ''))
})
