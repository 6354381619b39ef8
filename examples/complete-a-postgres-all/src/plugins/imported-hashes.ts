import fp from 'fastify-plugin'
import { ApiError } from '../errors/api-error.ts'
import { findKinds } from '../import/hash-kinds.ts'
import { costliestPassword } from '../passwords/foreign/phpass.ts'
import { runEvery } from './jobs.ts'

/** How often to look for kinds of hashes, and how often to measure each, in milliseconds. */
const [lookMs, measureMs] = [5_000, 20 * 60_000]

/** One slow moment must not delay every login. */
const measurements = 3

/**
 * Measures how long each kind of imported hash takes, so that the first login with one after a start takes no other time
 * than any login: see passwords/foreign/pace.ts. With the password that takes the longest: otherwise a client could send
 * one that does, and tell such a user from others.
 */
export default fp(
  async (app) => {
    const measuredAt = new Map<string | undefined, number>()
    const measure = async (stop?: AbortSignal) => {
      const imported = await findKinds(app.ctx)
      // The service's own kind too, by the hash of nobody: it may be slower than all others.
      const all = imported.size > 0 ? [[undefined, undefined] as const, ...imported] : []
      for (const [kind, hash] of all) {
        const since = performance.now() - (measuredAt.get(kind) ?? Number.NEGATIVE_INFINITY)
        if (stop?.aborted || since < measureMs) continue
        try {
          for (let count = 0; count < measurements; count += 1)
            await app.ctx.credentials.verify(costliestPassword, hash)
          measuredAt.set(kind, performance.now())
        } catch (error) {
          // The queue is full. Next time.
          if (!(error instanceof ApiError)) throw error
        }
      }
    }
    app.addHook('onListen', () => measure())
    runEvery(app, lookMs, 'measurement of imported hashes', measure)
  },
  { dependencies: ['lifecycle'] },
)
