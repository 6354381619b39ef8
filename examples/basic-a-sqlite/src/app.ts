import { join } from 'node:path'
import autoload from '@fastify/autoload'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { FastifyPluginAsyncZod, ZodTypeProvider } from 'fastify-type-provider-zod'
import { validatorCompiler } from 'fastify-type-provider-zod'
import type { ZodType } from 'zod'
import { type Context, createContext, type Dependencies } from './context.ts'
import { withoutValues } from './db/dialect.ts'
import { ApiError } from './errors/api-error.ts'
import { createRequestId, RequestLog, refuseBadUrl, refuseUnreadableRequest } from './problem.ts'

/** The app's dependencies. start.ts passes the real ones, and tests pass replacements. A plugin can declare more. */
export interface AppOptions extends Omit<Dependencies, 'log'> {
  logger?: FastifyServerOptions['logger']
  /** Registered after plugins/ and before routes/. Default: none. dev/server.ts passes what is only for development. */
  plugins?: FastifyPluginAsyncZod[]
}

declare module 'fastify' {
  interface FastifyInstance extends Pick<AppOptions, 'config' | 'db' | 'now'> {
    ctx: Context
    /** Origins of CORS besides CORS_ORIGINS, of a plugin that loads before security-headers.ts. */
    otherOrigins?: readonly string[]
  }
  interface FastifyContextConfig {
    /** What the home page for development links to. */
    links?: readonly { name: string; path: string }[]
  }
}

/** Builds the app without listening. A file in plugins/ applies to every route; a file in routes/ serves its path. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, db, now, logger = false, plugins = [] } = options
  const app = Fastify({
    logger: logger && { ...(logger === true ? {} : logger), formatters: { log: withoutErrorValues } },
    genReqId: createRequestId,
    trustProxy: config.server.trustProxy,
    // No request needs more. Bodies are buffered and parsed before they are checked, so large ones would cost memory.
    bodyLimit: 16 * 1024,
    // Disconnects clients that send a request very slowly (Slowloris). By default, Node.js looks every 30 seconds.
    requestTimeout: 30_000,
    // Longer than proxies keep theirs: a request that meets the close would get 502, and a POST is not sent again.
    keepAliveTimeout: config.server.keepAliveSeconds * 1000,
    // plugins/security-headers.ts answers requests without a Host.
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    // A longer parameter in a path gets 414.
    routerOptions: { maxParamLength: 200 },
    // Otherwise Fastify loads Ajv, which takes longer than Fastify itself. The compilers of Zod are set below.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // On a busy machine, plugins and routes can take longer to load than the default of 10 seconds.
    pluginTimeout: 300_000,
    // Without Fastify's own lines, which contain the query.
    logController: new RequestLog({ disableRequestLogging: true }),
    // plugins/lifecycle.ts sends problem details instead.
    return503OnClosing: false,
    frameworkErrors: refuseBadUrl,
    clientErrorHandler: refuseUnreadableRequest,
  }).withTypeProvider<ZodTypeProvider>()

  app.decorate('config', config)
  app.decorate('db', db)
  app.decorate('now', now)
  app.decorate('eventListeners', [])
  app.decorate('ctx', await createContext({ ...options, log: app.log }))
  app.setValidatorCompiler(validatorCompiler)
  // Parsed: no more is sent than the schema names. The type provider encodes, which takes ten times as long.
  app.setSerializerCompiler<ZodType>(({ schema }) => {
    return (data) => JSON.stringify(schema.parse(data))
  })
  readBodies(app)

  await app.register(autoload, { dir: join(import.meta.dirname, 'plugins'), forceESM: true, options })
  for (const plugin of plugins) await app.register(plugin)
  await app.register(autoload, { dir: join(import.meta.dirname, 'routes'), forceESM: true })
  return app
}

/** Reads JSON. An empty body of any type is no body: some clients name a type in every request, also in a logout. */
function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null) : parseJson(request, body, done),
  )
  // JSON only: browsers send text/plain from any site without a CORS preflight request.
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, body, done) =>
    done(body === '' || request.is404 ? null : new ApiError('unsupported_media_type')),
  )
  // Fastify refuses an invalid type before it knows whether there is a body.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.mediaType === undefined) delete request.headers['content-type']
    done()
  })
}

function noCompiler(): never {
  throw new Error('A schema was compiled before the compilers were set')
}

/** The error of a failed query contains hashes and addresses, which do not belong into the log. */
const withoutErrorValues = (entry: Record<string, unknown>) =>
  'err' in entry ? { ...entry, err: withoutValues(entry.err) } : entry
