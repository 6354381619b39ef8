import closeWithGrace from 'close-with-grace'
import { buildApp } from './app.ts'
import { openDatabase } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { readConfig } from './environment.ts'

const config = readConfig()
const migrated = await migrate(config.database)
const db = openDatabase(config.database)
const app = await buildApp({ config, db, now: Date.now, logger: { level: config.server.logLevel } })
app.log.info({ migrated }, 'database ready')

// SIGTERM, SIGINT and unexpected errors: stop listening, finish running requests, then exit, within 10 seconds.
closeWithGrace({ delay: 10_000, logger: app.log }, async ({ signal, err }) => {
  if (err) app.log.fatal({ err }, 'stopping after an error')
  else app.log.info({ signal }, 'stopping')
  await app.close()
  await db.close()
})

await app.listen({ host: config.server.host, port: config.server.port })
