import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { handleEmailRequests } from '../accounts/request-email.ts'
import { cleanUpInTurn } from '../jobs/clean-up.ts'

/** Runs jobs while the service listens. */
export default fp(
  async (app) => {
    runEvery(app, 60_000, 'clean-up', (stop) => cleanUpInTurn(app.ctx, stop))
    runEvery(app, 1_000, 'email request', (stop) => handleEmailRequests(app.ctx, stop))
  },
  { dependencies: ['lifecycle'] },
)

/**
 * Runs a job on a beat of its own. Started by a request or a pause after the last run, the work would show in the response
 * times of requests that follow, and reveal which addresses have an account.
 * @param ms how often, in milliseconds; a run that takes longer is followed by the next beat
 * @param run ends after its current transaction when `stop` is aborted
 */
export function runEvery(
  app: FastifyInstance,
  ms: number,
  name: string,
  run: (stop: AbortSignal) => Promise<void>,
): void {
  const controller = new AbortController()
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    timer = setInterval(() => {
      running ??= run(controller.signal)
        .catch((error: unknown) => app.log.error({ err: error }, `${name} failed`))
        .finally(() => {
          running = undefined
        })
    }, ms)
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    controller.abort()
    await running
  })
}
