import { AsyncResource } from 'node:async_hooks'
// Imported, because tests that replace the global timers would stop the queue.
import { setImmediate } from 'node:timers'
import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'
import { networksOf } from '../limits/address-limit.ts'

/** How long a turn of the event loop may start requests, in milliseconds. It starts at least one. */
const turnMs = 1

/**
 * Maximum number of waiting requests of a client. Node.js stops reading from a connection only if answers wait to be sent:
 * without a maximum, a client that pipelines requests could fill the memory.
 */
const maxWaiting = 1_000

/**
 * Fair queueing of requests. Without it, one client that sends hundreds at once delays everyone until the last of them is
 * handled, even if all are refused. With it, turns of the event loop are short, and clients alternate.
 */
export default fp(
  async (app) => {
    /** What starts the waiting requests of each client. First comes the client whose last turn is longest ago. */
    const waiting = new Map<string, (() => void)[]>()
    let [isTurn, hasAccepted, endsAt] = [false, false, 0]

    function beginTurn() {
      isTurn = true
      // Node.js accepts one connection a turn. While others may wait to be accepted, a turn starts only one request.
      endsAt = hasAccepted ? 0 : performance.now() + turnMs
      hasAccepted = false
      setImmediate(nextTurn)
    }

    function nextTurn() {
      isTurn = false
      if (waiting.size === 0) return
      beginTurn()
      startNext()
    }

    function startNext() {
      const [next] = waiting
      if (!next) return
      const [client, starts] = next
      const start = starts.shift()
      waiting.delete(client)
      if (starts.length > 0) waiting.set(client, starts)
      start?.()
      // Not before the promises of this request have settled, because their time counts.
      queueMicrotask(() => process.nextTick(() => performance.now() < endsAt && startNext()))
    }

    app.server.on('connection', () => {
      hasAccepted = true
    })
    // A callback instead of a promise, because this hook runs on every request.
    app.addHook('onRequest', (request, _reply, done) => {
      if (!isTurn) beginTurn()
      else if (waiting.size > 0 || performance.now() >= endsAt) {
        // The /48 of an IPv6 address: an attacker who has one would have 65,536 turns.
        const client = networksOf(request.ip).at(-1)?.network ?? ''
        const starts = waiting.get(client) ?? []
        if (starts.length >= maxWaiting) return done(new ApiError('unavailable', { retryAfter: 1 }))
        // The request keeps its own AsyncLocalStorage.
        const context = new AsyncResource('fair-queue')
        starts.push(() => context.runInAsyncScope(done))
        waiting.set(client, starts)
        return
      }
      done()
    })
  },
  // Their hooks come first, so that this one sees the right address, and a page of another origin can read the 503.
  { name: 'fair-queue', dependencies: ['client-address', 'security-headers'] },
)
