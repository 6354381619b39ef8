import type { FastifyInstance } from 'fastify'

/** What the home page for development says of the mode and the settings. None of these may contain a password. */
export function factsOf(app: FastifyInstance) {
  const { server } = app.config
  return {
    Mode: 'complete',
    Emails: app.email.delivery ? 'sent' : 'kept in the mailbox',
    LOGIN_REQUIRES_VERIFIED_EMAIL: String(app.config.accounts.loginRequiresVerifiedEmail),
    REGISTRATION_ENABLED: String(app.config.accounts.registrationEnabled),
    RATE_LIMIT_ENABLED: String(app.config.rateLimits.enabled),
    FRONTEND_URL: server.frontendUrl,
    LOG_LEVEL: server.logLevel,
    CORS_ORIGINS: server.corsOrigins.join(', ') || 'none',
    TRUST_PROXY: server.trustProxy.join(', ') || 'none',
  }
}
