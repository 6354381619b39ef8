import { AsyncResource } from 'node:async_hooks'
// Imported, because tests that replace the global timers would stop the queue.
import { setImmediate } from 'node:timers'
import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'
import { createTurns } from '../limits/turns.ts'

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
    /** Each starts a waiting request. */
    const waiting = createTurns<() => void>(maxWaiting)
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
      if (waiting.isEmpty()) return
      beginTurn()
      startNext()
    }

    function startNext() {
      const start = waiting.next()
      if (!start) return
      start()
      // Not before the promises of this request have settled, because their time counts.
      queueMicrotask(() => process.nextTick(() => performance.now() < endsAt && startNext()))
    }

    app.server.on('connection', () => {
      hasAccepted = true
    })
    // A callback instead of a promise, because this hook runs on every request.
    app.addHook('onRequest', (request, _reply, done) => {
      if (!isTurn) beginTurn()
      else if (!waiting.isEmpty() || performance.now() >= endsAt) {
        // The request keeps its own AsyncLocalStorage.
        const context = new AsyncResource('fair-queue')
        if (!waiting.add(request.ip, () => context.runInAsyncScope(done)))
          done(new ApiError('unavailable', { retryAfter: 1 }))
        return
      }
      done()
    })
  },
  // Their hooks come first, so that this one sees the right address, and a page of another origin can read the 503.
  { name: 'fair-queue', dependencies: ['client-address', 'security-headers'] },
)
