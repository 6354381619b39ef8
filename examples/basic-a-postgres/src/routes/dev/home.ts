import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { onlyThisMachine } from '../../this-machine.ts'

const homeFolder = new URL('../../../dev/home/', import.meta.url)

const files = [
  ['/', 'home.html', 'text/html'],
  ['/dev/home.css', 'home.css', 'text/css'],
  ['/dev/home.js', 'home.js', 'text/javascript'],
] as const

const pagePolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

/** What runs, besides the settings. */
const variant = {
  Profile: 'A',
  Database: 'PostgreSQL',
}

const places = [
  ['API page', '/docs'],
  ['OpenAPI document', '/openapi.json'],
  ['Mailbox', '/dev/mailbox'],
  ['Page: confirm an email address', '/verify-email'],
  ['Page: reset a password', '/reset-password'],
  ['Page: undo an email change', '/undo-email-change'],
] as const

/** What a browser can open, as far as this service has it. */
export const placesOf = (app: FastifyInstance) =>
  places.filter(([, url]) => app.hasRoute({ method: 'GET', url })).map(([name, path]) => ({ name, path }))

// The page is at /, not below /dev.
export const prefixOverride = ''

const named = z.array(z.object({ name: z.string(), value: z.string() }))
const state = z.object({
  places: z.array(z.object({ name: z.string(), path: z.string() })),
  facts: named,
})

/**
 * The home page for development: what runs, and what to try. It shows settings, so it does not exist in production, and
 * answers only to browsers on this machine.
 */
export default (async (app) => {
  if (app.config.server.isProduction) return
  app.addHook('onRequest', onlyThisMachine)

  for (const [url, name, type] of files) {
    const logLevel = url === '/' ? 'info' : 'warn'
    app.get(url, { schema: { hide: true }, logLevel }, async (_request, reply) => {
      // Read on every request, so that edits show up without a restart.
      const content = await readFile(new URL(name, homeFolder))
      return reply.header('content-security-policy', pagePolicy).type(`${type}; charset=utf-8`).send(content)
    })
  }

  const schema = { hide: true, response: { 200: state } }
  app.get('/dev/home.json', { schema, logLevel: 'warn' }, async () => ({
    places: placesOf(app),
    facts: factsOf(app),
  }))
}) satisfies FastifyPluginAsyncZod

/** What is worth knowing of the settings. Of addresses with passwords, only whether they are set. */
function factsOf({ config: { rateLimits, redis, server } }: FastifyInstance) {
  const facts = {
    ...variant,
    FRONTEND_URL: server.frontendUrl,
    LOG_LEVEL: server.logLevel,
    CORS_ORIGINS: server.corsOrigins.join(', ') || 'none',
    TRUST_PROXY: server.trustProxy.join(', ') || 'none',
    REDIS_URL: redis.url === undefined ? 'not set' : 'set',
    RATE_LIMIT_ENABLED: String(rateLimits.enabled),
  }
  return Object.entries(facts).map(([name, value]) => ({ name, value }))
}
