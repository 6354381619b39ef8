import { isIP } from 'node:net'
import fp from 'fastify-plugin'

const header = 'x-forwarded-for'
const hourMs = 60 * 60_000

/** An address as some proxies write it: `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
const decorated = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/

/** The address in an entry, or undefined. An IPv6 zone, such as `%eth0`, is no part of one: it can be any text. */
function addressOf(entry: string): string | undefined {
  const [, bracketed, plain] = decorated.exec(entry) ?? []
  const address = bracketed ?? plain ?? entry
  return isIP(address) && !address.includes('%') ? address : undefined
}

/**
 * The addresses after the last entry that is none: the proxy that sent this entry counts as the client. Otherwise a new text
 * per request would be a new client, whom no limit stops.
 */
function onlyAddresses(forwardedFor: string): string {
  const addresses = forwardedFor.split(',').map((entry) => addressOf(entry.trim()))
  return addresses.slice(addresses.lastIndexOf(undefined) + 1).join(',')
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
        headers[header] = onlyAddresses(forwardedFor)
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
