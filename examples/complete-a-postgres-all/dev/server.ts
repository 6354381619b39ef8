import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, readdirSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { loadConfig, readConfig } from '../src/config.ts'
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

// What an add-on needs beside the service: each file of dev/beside/ starts something, and sets the settings for it.
let config = readConfig()
const beside = new URL('beside/', import.meta.url)
for (const file of existsSync(beside) ? readdirSync(beside) : []) {
  const { default: prepare } = await import(new URL(file, beside).href)
  await prepare(config)
  config = loadConfig(process.env)
}

const app = await start(config, [
  // Only for development. In production, no file of dev/ is loaded.
  home,
  missingPages,
  mailbox,
])
console.log(welcome(app))
