import { z } from 'zod'
import {
  addressList,
  environment,
  flag,
  oneOf,
  originList,
  settings,
  webAddress,
  wholeNumber,
} from './types.ts'

/** The name of the service, as it presents itself. */
export const brand = { name: 'my-api' }

/** The process, the network and the log. */
export const server = settings(
  {
    /** Environment; development and test show the API page. Empty: production. The script dev sets development. */
    environment: ['NODE_ENV', environment().optional()],
    /** Address to listen on; 0.0.0.0 in a container. */
    host: ['HOST', z.string().default('127.0.0.1')],
    /** Port to listen on; 0 picks a free one. */
    port: ['PORT', wholeNumber({ min: 0, max: 65_535 }).default(3000)],
    /** Lowest level to log. */
    logLevel: [
      'LOG_LEVEL',
      oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    ],
    /** Public address of your front end. Empty: http://localhost and PORT. */
    frontendUrl: ['FRONTEND_URL', webAddress().optional()],
    /** Proxies whose X-Forwarded-For is trusted, comma-separated. Empty: none. */
    trustProxy: ['TRUST_PROXY', addressList().default([])],
    /** Origins whose pages may call the API from a browser, comma-separated. Empty: none. */
    corsOrigins: ['CORS_ORIGINS', originList().default([])],
    /** Seconds until an idle connection is closed, longer than in the proxy: 620 for Google's load balancers, which keep them for 600. */
    keepAliveSeconds: ['KEEP_ALIVE_SECONDS', wholeNumber({ min: 1, max: 3600 }).default(125)],
    /** Seconds from SIGTERM to the stop, in which only /health/ready answers 503: load balancers see it first. */
    shutdownDelaySeconds: ['SHUTDOWN_DELAY_SECONDS', wholeNumber({ min: 0, max: 300 }).default(0)],
    /** Serve the API page /docs and /openapi.json. Empty: true, except in production. */
    docsEnabled: ['DOCS_ENABLED', flag().optional()],
  },
  // Production is the safe environment if the setting is forgotten. dev/server.ts sets development.
  ({ environment = 'production', ...server }) => ({
    ...server,
    isProduction: environment === 'production',
    frontendUrl: server.frontendUrl ?? `http://localhost:${server.port}`,
    docsEnabled: server.docsEnabled ?? environment !== 'production',
  }),
)
