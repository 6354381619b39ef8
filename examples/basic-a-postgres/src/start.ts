import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { type AppOptions, buildApp } from './app.ts'
import { type Config, listenError, refuseToStart } from './config.ts'
import { openDatabase } from './db/database.ts'
import { migrate } from './db/migrate.ts'

/**
 * Starts the service. Resolves when it listens and its migrations are applied.
 * @param plugins those that dev/server.ts adds. Default: none
 */
export async function start(config: Config, plugins: AppOptions['plugins'] = []): Promise<FastifyInstance> {
  const db = openDatabase(config.database)
  // The service listens meanwhile: an orchestrator must not take a long migration for a start that failed.
  const migrated = migrate(config.database)
  const logger = { level: config.server.logLevel }
  const app = await buildApp({ config, db, migrated, now: Date.now, logger, plugins }).catch(refuseToStart)

  const delayMs = config.server.shutdownDelaySeconds * 1000
  const skip = delayMs > 0 ? ['SIGTERM' as const] : []
  // SIGTERM, SIGINT and unexpected errors: stop listening, finish running requests, then exit, within 10 seconds.
  const { close } = closeWithGrace({ delay: 10_000, logger: app.log, skip }, async ({ signal, err }) => {
    if (err) app.log.fatal({ err }, 'stopping after an error')
    else app.log.info({ signal }, 'stopping')
    await app.close()
    await db.close()
  })

  if (delayMs > 0)
    process.once('SIGTERM', async () => {
      app.drain()
      app.log.info({ seconds: delayMs / 1000 }, 'not ready any more, stopping soon')
      // A second signal ends the wait.
      await Promise.race([sleep(delayMs), once(process, 'SIGTERM')])
      await close()
    })

  const { host, port } = config.server
  await app.listen({ host, port }).catch((error: unknown) => refuseToStart(listenError(error, port)))
  app.log.info({ migrated: await migrated }, 'database ready')
  return app
}
