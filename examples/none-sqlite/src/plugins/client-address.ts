import { isIP } from 'node:net'
import fp from 'fastify-plugin'

const header = 'x-forwarded-for'
const hourMs = 60 * 60_000

/** An address as some proxies write it: `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
const decorated = /^\s*(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?\s*$/

function withoutPort(entry: string): string {
  const [, bracketed, plain] = decorated.exec(entry) ?? []
  const address = bracketed ?? plain ?? ''
  return isIP(address) ? address : entry
}

/** What X-Forwarded-For means for `request.ip`, the address of the client. */
export default fp(
  async (app) => {
    const { config, now } = app
    let warnAt = 0

    // Callbacks instead of promises, because these hooks run on every request.
    app.addHook('onRequest', (request, _reply, done) => {
      const { headers } = request.raw
      const forwardedFor = headers[header]
      if (typeof forwardedFor !== 'string') return done()
      if (config.server.trustProxy.length > 0) {
        // With its port, a client would have a new address on each connection, and no limit would stop it.
        headers[header] = forwardedFor.split(',').map(withoutPort).join(',')
      } else if (now() >= warnAt) {
        warnAt = now() + hourMs
        // Without the header: anyone can write it.
        request.log.warn(
          { event: 'proxy.not_trusted', address: request.ip },
          'X-Forwarded-For is ignored because TRUST_PROXY is empty: all clients of a proxy share one limit',
        )
      }
      done()
    })
  },
  { name: 'client-address' },
)
