import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import type { AppOptions } from './app.ts'
import type { Config } from './config.ts'
import { speedUpDrizzle } from './drizzle-imports.ts'
import { listenError, refuseToStart } from './environment.ts'

/**
 * Starts the service. Resolves when it listens and its migrations are applied.
 * @param loadPlugins the plugins that dev/server.ts adds. Default: none
 */
export async function start(
  config: Config,
  loadPlugins = async (): Promise<AppOptions['plugins']> => [],
): Promise<FastifyInstance> {
  // These import Drizzle, so static imports would come too early.
  speedUpDrizzle()
  const { buildApp } = await import('./app.ts')
  const { openDatabase } = await import('./db/database.ts')
  const { migrate } = await import('./db/migrate.ts')
  const plugins = await loadPlugins()

  const db = openDatabase(config.database)
  // The service listens meanwhile: an orchestrator must not take a long migration for a start that failed.
  const migrated = migrate(config.database)
  const logger = { level: config.server.logLevel }
  const app = await buildApp({ config, db, migrated, now: Date.now, logger, plugins }).catch(refuseToStart)

  // SIGTERM, SIGINT and unexpected errors: stop listening, finish running requests, then exit, within 10 seconds.
  closeWithGrace({ delay: 10_000, logger: app.log }, async ({ signal, err }) => {
    if (err) app.log.fatal({ err }, 'stopping after an error')
    else app.log.info({ signal }, 'stopping')
    await app.close()
    await db.close()
  })

  const { host, port } = config.server
  await app.listen({ host, port }).catch((error: unknown) => refuseToStart(listenError(error, port)))
  app.log.info({ migrated: await migrated }, 'database ready')
  return app
}
