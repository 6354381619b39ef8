import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createCookie } from '../cookies/cookie.ts'

/** How long a page that an email links to still leads back, in seconds. */
const keepSeconds = 60 * 60

/** Browsers keep no larger cookie. */
const maxLength = 2_000

/**
 * The pages lead back to where the user came from, which `return_to` in their address says; a cookie keeps it meanwhile. And
 * they know whether the browser may have a session, which no script can see.
 */
export default fp(async (app) => {
  const { server, cookies } = app.config
  const frontend = new URL(server.frontendUrl).origin
  const origins = [frontend, ...cookies.origins]
  const cookie = createCookie(app.config, 'return_to', keepSeconds)
  const session = createCookie(app.config, 'session', 0)

  /** Otherwise a link to our log-in could lead on to a stranger's copy of it (open redirect, CWE-601). */
  function allowed(value: unknown): string | undefined {
    if (typeof value !== 'string' || value.length > maxLength || !/^(\/|https?:\/\/)/.test(value))
      return undefined
    if (!URL.canParse(value, frontend)) return undefined
    const { href } = new URL(value, frontend)
    // The whole beginning: an address with the name of a user has the same `origin`.
    return origins.some((origin) => href.startsWith(`${origin}/`)) ? href : undefined
  }

  app.decorate('pageVariables', ({ query, headers }: FastifyRequest, reply: FastifyReply) => {
    const given = allowed((query as { return_to?: unknown }).return_to)
    if (given) reply.header('set-cookie', cookie.write(Buffer.from(given).toString('base64url')))
    const kept = Buffer.from(cookie.read(headers.cookie) ?? '', 'base64url').toString()
    const url = given ?? allowed(kept)
    const variables: Record<string, string> = url ? { return_to: url, site_url: url } : {}
    if (session.read(headers.cookie)) variables.has_session = 'true'
    return { ...variables, home_url: url ?? server.frontendUrl }
  })
})
