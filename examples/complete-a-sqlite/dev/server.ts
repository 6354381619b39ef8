import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { readConfig } from '../src/config.ts'
import { start } from '../src/start.ts'
import home from './home/routes.ts'
import mailbox from './mailbox/routes.ts'
import missingPages from './missing-pages.ts'
import { logRequests } from './requests.ts'
import { welcome } from './welcome.ts'

// Set before the settings are read. In production, the service starts with src/server.ts instead.
process.env.NODE_ENV = 'development'

// Fastify's own channel, because the hooks of the log come before all others. Only the service: yours may start more apps.
subscribe('fastify.initialization', function onApp(message) {
  unsubscribe('fastify.initialization', onApp)
  logRequests((message as { fastify: FastifyInstance }).fastify)
})

const app = await start(readConfig(), [
  // Only for development. In production, no file of dev/ is loaded.
  home,
  missingPages,
  mailbox,
])
console.log(welcome(app))
