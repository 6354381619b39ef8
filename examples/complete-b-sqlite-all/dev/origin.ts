import type { FastifyInstance } from 'fastify'

/** The URL of the service for a browser on this machine, with the port that it listens on. */
export function originOf(app: FastifyInstance): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : app.config.server.port
  return `http://localhost:${port}`
}
