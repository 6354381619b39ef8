import fp from 'fastify-plugin'
import { cleanUp } from '../jobs/clean-up.ts'

const intervalMs = 10 * 60_000

/** Deletes expired rows every ten minutes. */
export default fp(async (app) => {
  const timer = setInterval(() => {
    cleanUp(app.db, app.now()).catch((error: unknown) => app.log.error({ err: error }, 'clean-up failed'))
  }, intervalMs)
  // The timer must not keep the process alive.
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
})
