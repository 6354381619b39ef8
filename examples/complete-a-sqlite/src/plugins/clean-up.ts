import fp from 'fastify-plugin'
import { cleanUp } from '../jobs/clean-up.ts'

const intervalMs = 10 * 60_000

/** Deletes expired rows every ten minutes while the service listens. */
export default fp(
  async (app) => {
    const controller = new AbortController()
    let running: Promise<void> | undefined
    let timer: NodeJS.Timeout | undefined
    app.addHook('onListen', async () => {
      timer = setInterval(() => {
        running ??= cleanUp(app, controller.signal).finally(() => {
          running = undefined
        })
      }, intervalMs)
      // The timer must not keep the process alive.
      timer.unref()
    })
    app.addHook('onClose', async () => {
      clearInterval(timer)
      controller.abort()
      await running
    })
  },
  { dependencies: ['starting'] },
)
