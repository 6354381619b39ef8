import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import fp from 'fastify-plugin'
import { ConfigError, refuseAddress } from '../config.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Adds a figure to the metrics, which is read with them. Does nothing while there are no metrics.
     * @param name in snake case, such as `tasks_waiting`
     */
    gauge(name: string, help: string, read: () => number | Promise<number>): void
  }
}

const hash = (text: string) => createHash('sha256').update(text).digest()

/**
 * Serves GET /metrics for Prometheus: at METRICS_PORT, which a proxy does not forward, or at the port of the service to
 * clients with METRICS_TOKEN. Others could learn how busy the service is.
 */
export default fp(
  async (app) => {
    const { port, token } = app.config.metrics
    const { host, port: servicePort } = app.config.server
    if (port === undefined && token === undefined) {
      app.decorate('gauge', () => {})
      return
    }
    if (port === servicePort && port !== 0)
      throw new ConfigError(
        'METRICS_PORT must differ from PORT; to serve /metrics there, set METRICS_TOKEN instead',
      )
    // Load the library only if it is used.
    const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client')
    const registry = new Registry()
    const registers = [registry]
    collectDefaultMetrics({ register: registry })
    const durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Requests by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    })
    const events = new Counter({
      name: 'auth_events_total',
      help: 'Events by name, and refused requests by limit',
      labelNames: ['event', 'limit'],
      registers,
    })
    app.eventListeners.push(({ event, limit }) => {
      events.inc(limit === undefined ? { event } : { event, limit })
    })
    app.addHook('onResponse', (request, reply, done) => {
      // The pattern, not the URL: that can contain ids and secrets, and a flood of different ones would fill the memory.
      const route = request.routeOptions.url
      const method = route === undefined ? 'any' : request.method
      durations.observe(
        { method, route: route ?? 'none', status: reply.statusCode },
        reply.elapsedTime / 1000,
      )
      done()
    })
    app.decorate('gauge', (name, help, read) => {
      const gauge: InstanceType<typeof Gauge> = new Gauge({
        name,
        help,
        registers,
        async collect() {
          try {
            gauge.set(await read())
          } catch {
            // While the database is down, the other figures are needed most.
            gauge.set(Number.NaN)
          }
        },
      })
    })

    /** @returns the status, the headers and the text of the response */
    async function respond(authorization = ''): Promise<[number, Record<string, string>, string]> {
      // Of hashes, so that the time reveals neither a part nor the length of the token.
      if (token && !timingSafeEqual(hash(authorization), hash(`Bearer ${token}`)))
        return [401, { 'www-authenticate': 'Bearer' }, '']
      const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
      return [200, headers, await registry.metrics()]
    }

    if (port === undefined) {
      app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
        const [status, headers, text] = await respond(request.headers.authorization)
        return reply.code(status).headers(headers).send(text)
      })
      app.addHook('onRoute', ({ method, url }) => {
        if ([method].flat().includes('GET') && url === '/metrics')
          throw new ConfigError(
            'src/plugins/metrics.ts and a route of yours both serve /metrics: change one path, or set METRICS_PORT',
          )
      })
      return
    }
    // At the top of the file, Node.js would load its client for fetch too.
    const { createServer } = await import('node:http')
    const server = createServer(async (request, response) => {
      if (request.method !== 'GET' || request.url !== '/metrics') {
        response.writeHead(404).end()
        return
      }
      const [status, headers, text] = await respond(request.headers.authorization)
      response.writeHead(status, headers).end(text)
    })
    app.addHook('onReady', async () => {
      server.listen(port, host)
      await once(server, 'listening').catch((error) => refuseAddress(error, host, port, 'METRICS_PORT'))
      app.log.info({ metrics: server.address() }, 'metrics are served')
    })
    app.addHook('onClose', async () => {
      server.close()
      server.closeAllConnections()
    })
  },
  { name: 'metrics' },
)
