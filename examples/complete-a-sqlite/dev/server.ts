import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { readConfig } from '../src/environment.ts'
import { start } from '../src/start.ts'
import { logRequests } from './requests.ts'

// Set before the settings are read. In production, the service starts with src/server.ts instead.
process.env.NODE_ENV = 'development'

// Fastify's own channel, because the hooks of the log come before all others. Only the service: yours may start more apps.
subscribe('fastify.initialization', function onApp(message) {
  unsubscribe('fastify.initialization', onApp)
  logRequests((message as { fastify: FastifyInstance }).fastify)
})

const app = await start(readConfig(), async () => [
  // Not static imports, because src/start.ts first makes those of Drizzle fast.
  (await import('./home/routes.ts')).default,
  (await import('./missing-pages.ts')).default,
  (await import('./mailbox/routes.ts')).default,
  (await import('./mails.ts')).logMails,
])
const { welcome } = await import('./welcome.ts')
console.log(welcome(app))
