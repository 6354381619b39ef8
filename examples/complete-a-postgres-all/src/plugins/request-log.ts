import fp from 'fastify-plugin'

/**
 * Logs one line per response. Leaves out query, headers and bodies, which can contain secrets. Health checks come every few
 * seconds and would hide the rest.
 */
export default fp(async (app) => {
  app.addHook('onResponse', (request, reply, done) => {
    const level = request.routeOptions.url?.startsWith('/health/') ? 'debug' : 'info'
    request.log[level](
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        address: request.ip,
      },
      'request',
    )
    done()
  })
})
