import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { logRequests } from './requests.ts'

// Set before any module of the service is loaded. In production, the service starts with src/server.ts instead.
process.env.NODE_ENV = 'development'

// Fastify's own channel: what is only for development stays out of src/.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  logRequests(fastify)
})

await import('../src/server.ts')
