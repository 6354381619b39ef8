import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import autoload from '@fastify/autoload'
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { refuseBadUrl, refuseUnreadableRequest } from './problem.ts'

/** All that the service needs from outside. Tests pass their own; server.ts passes the real ones. A plugin may add to it. */
export interface AppOptions {
  config: Config
  db: Database
  /** The clock: milliseconds since 1970. */
  now: () => number
  logger?: FastifyServerOptions['logger']
}

declare module 'fastify' {
  interface FastifyInstance extends Pick<AppOptions, 'config' | 'db' | 'now'> {}
}

/**
 * Builds the app without listening. Plugins and routes are found by their folder: a file in plugins/ applies to every
 * route, and a file in routes/ answers below the path of its folders.
 */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, db, now, logger = false } = options
  const app = Fastify({
    logger,
    // An id of our own: one taken from a header would let a client write into the log or pose as another request.
    genReqId: () => randomUUID(),
    trustProxy: config.server.trustProxy,
    // No request here needs more, and every byte is buffered and parsed before anything is checked.
    bodyLimit: 16 * 1024,
    // A client that sends its request drop by drop (slowloris) is cut off.
    requestTimeout: 30_000,
    http: { headersTimeout: 15_000 },
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 200 },
    // One line for each request, written by plugins/request-log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    // plugins/closing.ts answers in our own error shape instead.
    return503OnClosing: false,
    frameworkErrors: refuseBadUrl,
    clientErrorHandler: refuseUnreadableRequest,
  }).withTypeProvider<ZodTypeProvider>()

  app.decorate('config', config)
  app.decorate('db', db)
  app.decorate('now', now)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  // JSON only: Fastify would take text/plain too, which a page on any site can send without asking (CORS).
  app.removeContentTypeParser('text/plain')

  await app.register(autoload, { dir: join(import.meta.dirname, 'plugins'), forceESM: true, options })
  await app.register(autoload, { dir: join(import.meta.dirname, 'routes'), forceESM: true })
  return app
}
