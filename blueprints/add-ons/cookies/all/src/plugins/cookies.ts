import type { FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { z } from 'zod'
import { createCookie } from '../cookies/cookie.ts'
import { createSameSiteCheck, isUnsafe } from '../cookies/same-site.ts'
import { createCookieSessions } from '../cookies/sessions.ts'
import { ApiError } from '../errors/api-error.ts'
import { logEvent } from '../problem.ts'
import { guard } from '../schemas/problem.ts'
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
    .meta({ description: 'true: 204 and a cookie in place of the tokens' }),
})

const cookieSet = z.undefined().meta({ description: 'With use_cookies=true: the cookie is set' })

/** Lets guards accept the cookie of a session, and every route that answers with tokens set one instead. */
export default fp(async (app) => {
  const { config, ctx } = app
  // The browser keeps it as long as a session can last.
  const cookie = createCookie(config, 'session', config.sessions.maxDays * 24 * 60 * 60)
  const sessions = createCookieSessions(ctx)
  const isSameSite = createSameSiteCheck(config)
  const isAsked = ({ query }: FastifyRequest) => (query as { use_cookies?: string }).use_cookies === 'true'

  app.decorateRequest('cookieCaller', null)
  app.decorate('otherOrigins', config.cookies.origins)
  app.decorate('otherCaller', async (request: FastifyRequest) => {
    const value = cookie.read(request.headers.cookie)
    if (value === undefined) return undefined
    const found = await sessions.find(value)
    if (!found) throw new ApiError('invalid_token')
    const client = { address: request.ip, userAgent: request.headers['user-agent'] }
    await sessions.keepAlive(found.session, client)
    request.cookieCaller = found.caller
    return found.caller
  })

  app.addHook('onSend', (request, reply, _payload, done) => {
    const { origin = '' } = request.headers
    if (config.cookies.origins.includes(origin)) reply.header('access-control-allow-credentials', 'true')
    done()
  })

  // Before the guards of a route: a cross-site request learns nothing, and counts against no limit. A callback instead of a
  // promise, because this hook runs on every request.
  const refuseCrossSite: onRequestHookHandler = (request, _reply, done) => {
    const { authorization, cookie: header } = request.headers
    const hasCookie = authorization === undefined && cookie.read(header) !== undefined
    const isChecked = (hasCookie && isUnsafe(request)) || isAsked(request)
    done(isChecked && !isSameSite(request) ? new ApiError('cross_site_request') : undefined)
  }
  const documented = guard(['cross_site_request'], refuseCrossSite.bind(app))

  app.addHook('onRoute', (route) => {
    const isRead = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD')
    route.onRequest = [isRead ? refuseCrossSite : documented, ...[route.onRequest ?? []].flat()]
    if (Object.values(route.schema?.response ?? {}).includes(tokenResponse)) answerWithCookie(route)
    if (route.method === 'POST' && route.url === '/api/v1/auth/logout') endWithCookie(route)
  })

  function answerWithCookie(route: RouteOptions): void {
    const { handler, onRequest, schema = {} } = route
    // A route that lets everyone in has a proof of its own, such as the code of a sign-in.
    const isGuarded = ![onRequest].flat().includes(app.loadUser)
    schema.querystring = query
    schema.response = { ...(schema.response as object), 204: cookieSet }
    route.handler = async function (this, request, reply) {
      const answer = await handler.call(this, request, reply)
      const { refresh_token: refreshToken } = (answer ?? {}) as { refresh_token?: string }
      // What a cookie has authenticated never answers with tokens: a script could read them.
      const isByCookie = isGuarded && request.cookieCaller !== null
      if (refreshToken === undefined || !(isAsked(request) || isByCookie)) return answer
      const value = cookie.read(request.headers.cookie)
      const before = request.cookieCaller ?? (value ? (await sessions.find(value))?.caller : undefined)
      const next = await sessions.start(refreshToken, before)
      return reply.header('set-cookie', cookie.write(next)).code(204).send()
    }
  }

  /** Also clears the cookie of a session that is over. */
  function endWithCookie(route: RouteOptions): void {
    const { handler } = route
    route.handler = async function (this, request, reply) {
      const { authorization, cookie: header } = request.headers
      const value = authorization === undefined ? cookie.read(header) : undefined
      if (value === undefined) return handler.call(this, request, reply)
      const found = await sessions.find(value)
      if (found) {
        const { user, sessionId } = found.caller
        await sessions.end(found.caller)
        logEvent(request, { event: 'cookie.logged_out', userId: user.id, sessionId })
      }
      return reply.header('set-cookie', cookie.write('')).code(204).send()
    }
  }
})
