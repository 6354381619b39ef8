import fp from 'fastify-plugin'
import { cleanUp } from '../jobs/clean-up.ts'

const intervalMs = 10 * 60_000

/** Runs the clean-up every ten minutes, so that what has expired does not pile up. */
export default fp(async (app) => {
  const timer = setInterval(() => {
    cleanUp(app.db, app.now()).catch((error: unknown) => app.log.error({ err: error }, 'clean-up failed'))
  }, intervalMs)
  // The timer alone does not keep the process alive.
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
})
