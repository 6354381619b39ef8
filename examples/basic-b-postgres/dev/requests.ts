import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { pathOf } from '../src/problem.ts'

/** The parts of an error response that may be logged: no submitted values. */
interface Problem {
  code: string
  errors?: { field: string; code: string }[]
}

/** What browsers ask for on their own. */
const browserFiles = /^\/(favicon\.ico|apple-touch-icon[\w-]*\.png|\.well-known\/appspecific\/.*)$/

/** The files of a page, which would bury the requests of the API. */
const pageFiles = /^\/docs\/static\/|\.(css|js|png|svg|webp|woff2)$/

/** Logs one readable line per request, in place of the entry of `RequestLog` (src/problem.ts). Call it before other hooks exist. */
export function logRequests(app: FastifyInstance): void {
  const problems = new WeakMap<FastifyRequest, Problem>()

  app.addHook('onSend', (request, reply, payload, done) => {
    const type = String(reply.getHeader('content-type'))
    if (typeof payload === 'string' && type.startsWith('application/problem+json'))
      problems.set(request, JSON.parse(payload))
    done(null, payload)
  })

  app.addHook('onResponse', (request, reply, done) => {
    const { log, method } = request
    request.log = withoutEntry(log)
    const path = pathOf(request)
    const { statusCode: status } = reply
    if (status === 404 && browserFiles.test(path)) return done()
    const isSlash = status === 404 && path.length > 1 && path.endsWith('/')
    const isFile = method === 'GET' && status < 400 && pageFiles.test(path)
    // As in `RequestLog`: they come every few seconds, also while they fail.
    const isHealth = request.routeOptions.url?.startsWith('/health/')
    const bySuccess = status >= 500 ? 'error' : status >= 400 && !isSlash ? 'warn' : 'info'
    const level = isFile || isHealth ? 'debug' : bySuccess
    const reason = textOf(problems.get(request)) + (isSlash ? ' (try it without the last slash)' : '')
    log[level](`${method} ${path} ${status} ${Math.round(reply.elapsedTime)} ms${reason}`)
    done()
  })
}

/** The log without the entry of `RequestLog`, which follows. */
function withoutEntry(log: FastifyBaseLogger): FastifyBaseLogger {
  const quiet = log.child({})
  for (const level of ['info', 'debug'] as const)
    quiet[level] = (entry: unknown, message?: string, ...values: unknown[]) => {
      if (message !== 'request') log[level](entry, message, ...values)
    }
  return quiet
}

/** The code, and the names of the fields that are wrong. An unknown field has no name, because a client chose it. */
function textOf(problem?: Problem): string {
  if (!problem) return ''
  const fields = new Set(problem.errors?.map(({ field, code }) => field || code))
  return ` ${problem.code}${fields.size > 0 ? `: ${[...fields].join(', ')}` : ''}`
}
