import fp from 'fastify-plugin'
import type { AppOptions } from '../app.ts'
import { ApiError } from '../errors/api-error.ts'

declare module '../app.ts' {
  interface AppOptions {
    /** Resolves when the migrations are applied. Default: they are. */
    migrated?: Promise<unknown>
  }
}

/**
 * While migrations are applied, the service is live, but every other request gets 503. Jobs start in the hook `onListen`.
 * Their plugins depend on this one, so their hooks run after its own.
 */
export default fp<AppOptions>(
  async (app, { migrated }) => {
    if (!migrated) return
    let [isStarting, isClosing] = [true, false]
    app.addHook('onRequest', (request, _reply, done) => {
      const isRefused = isStarting && request.routeOptions.url !== '/health/live'
      done(isRefused ? new ApiError('unavailable', { retryAfter: 1 }) : undefined)
    })
    app.addHook('onListen', (done) => {
      const start = () => {
        isStarting = false
        if (!isClosing) done()
      }
      // After a failure, start.ts ends the process.
      migrated.then(start, () => {})
    })
    app.addHook('preClose', async () => {
      isClosing = true
    })
  },
  // Its hook comes first, so that a page of another origin can read the 503 and try again.
  { name: 'starting', dependencies: ['security-headers'] },
)
