import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { type AppOptions, buildApp } from './app.ts'
import { type Config, refuseAddress, refuseToStart } from './config.ts'
import { openDatabase } from './db/database.ts'
import { migrate } from './db/migrate.ts'

/**
 * Starts the service. Resolves when it listens and its migrations are applied.
 * @param plugins those that dev/server.ts adds. Default: none
 */
export const start = (config: Config, plugins: AppOptions['plugins'] = []): Promise<FastifyInstance> =>
  run(config, plugins).catch(refuseToStart)

async function run(config: Config, plugins: AppOptions['plugins']): Promise<FastifyInstance> {
  const db = openDatabase(config.database)
  // The service listens meanwhile: an orchestrator must not take a long migration for a start that failed.
  const migrated = migrate(config.database).catch(refuseToStart)
  const logger = { level: config.server.logLevel, stream: logStream() }
  const app = await buildApp({ config, db, migrated, now: Date.now, logger, plugins })
  const warning = config.server.isProduction && nodeWarning(process.versions.node, Date.now())
  if (warning) app.log.warn(warning)

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
  await app.listen({ host, port }).catch((error) => refuseAddress(error, host, port))
  app.log.info({ migrated: await migrated }, 'database ready')
  return app
}

/** Writes all lines of a turn of the event loop to stdout at once: a write for each takes a tenth of a request's time. */
function logStream() {
  const lines: string[] = []
  const flush = () => process.stdout.write(lines.splice(0).join(''))
  process.once('exit', flush)
  // The service goes on if nobody reads its log any more.
  process.stdout.on('error', () => {})
  const write = (line: string) => {
    if (lines.push(line) === 1) setImmediate(flush)
  }
  return { write }
}

/**
 * What to log if the line of Node gets no security fixes any more: known holes stay open, such as CVE-2026-111497 in Node 20.
 * @param now milliseconds since 1970
 */
export function nodeWarning(version: string, now: number): string | undefined {
  const line = Number.parseInt(version, 10)
  // An even line ends with an April. Up to 25, the odd ones have ended; for lines after 26, there is another schedule.
  const end = line % 2 === 0 ? Date.UTC(2016 + line / 2, 4) : 0
  if (line > 26 || now < end) return
  return `Node ${version} gets no security fixes any more: run the service on a line that does, such as the one in Dockerfile`
}
