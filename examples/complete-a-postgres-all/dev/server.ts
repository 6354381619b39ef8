import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { logMails } from './mails.ts'
import { logRequests } from './requests.ts'

// Set before any module of the service is loaded. In production, the service starts with src/server.ts instead.
process.env.NODE_ENV = 'development'

let app: FastifyInstance | undefined

// Fastify's own channel: what is only for development stays out of src/.
subscribe('fastify.initialization', (message) => {
  // The service is the first one. Yours may start others.
  if (app) return
  app = (message as { fastify: FastifyInstance }).fastify
  logRequests(app)
  logMails(app)
})

await import('../src/server.ts')
const { welcome } = await import('./welcome.ts')
// By now the service listens, and its migrations are applied.
if (app) console.log(welcome(app))
