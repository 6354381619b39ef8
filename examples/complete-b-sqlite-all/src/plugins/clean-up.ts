import fp from 'fastify-plugin'
import { cleanUpInTurn } from '../jobs/clean-up.ts'

/** How often to check whether a clean-up is due, in milliseconds. */
const checkMs = 60_000

/** Deletes expired rows, in turns with the other instances, while the service listens. */
export default fp(
  async (app) => {
    const controller = new AbortController()
    let running: Promise<void> | undefined
    let timer: NodeJS.Timeout | undefined
    app.addHook('onListen', async () => {
      timer = setInterval(() => {
        running ??= cleanUpInTurn(app, controller.signal).finally(() => {
          running = undefined
        })
      }, checkMs)
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
