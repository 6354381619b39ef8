import type { FastifyInstance } from 'fastify'

/** What the home page for development says of the mode and the settings. None of these may contain a password. */
export function factsOf(app: FastifyInstance) {
  const { server } = app.config
  return {
    Mode: 'none',
    FRONTEND_URL: server.frontendUrl,
    LOG_LEVEL: server.logLevel,
    CORS_ORIGINS: server.corsOrigins.join(', ') || 'none',
    TRUST_PROXY: server.trustProxy.join(', ') || 'none',
  }
}
