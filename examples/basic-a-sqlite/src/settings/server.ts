import { z } from 'zod'
import { addressList, flag, oneOf, originList, webAddress, wholeNumber } from './types.ts'

/** The process, the network and the log. */
export const server = z
  .object({
    // The safe one if it is forgotten: development shows the API page. dev/server.ts sets development.
    NODE_ENV: oneOf(['production', 'development', 'test'])
      .default('production')
      .describe('development and test show the API page'),
    HOST: z.string().default('127.0.0.1').describe('Address to listen on; 0.0.0.0 in a container'),
    PORT: wholeNumber({ min: 0, max: 65_535 })
      .default(3000)
      .describe('Port to listen on; 0 picks a free one'),
    LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info')
      .describe('Least severe entries to log'),
    FRONTEND_URL: webAddress()
      .optional()
      .describe('Public address of the front end; default: http://localhost and PORT'),
    TRUST_PROXY: addressList()
      .default([])
      .describe('Proxies whose X-Forwarded-For is trusted: addresses or CIDRs, comma-separated'),
    CORS_ORIGINS: originList()
      .default([])
      .describe('Origins whose pages may call the API from a browser, comma-separated; empty: none'),
    DOCS_ENABLED: flag()
      .optional()
      .describe('Serves the API page /docs and /openapi.json; default: true, except in production'),
  })
  .transform((env) => ({
    isProduction: env.NODE_ENV === 'production',
    host: env.HOST,
    port: env.PORT,
    logLevel: env.LOG_LEVEL,
    frontendUrl: env.FRONTEND_URL ?? `http://localhost:${env.PORT}`,
    trustProxy: env.TRUST_PROXY,
    corsOrigins: env.CORS_ORIGINS,
    docsEnabled: env.DOCS_ENABLED ?? env.NODE_ENV !== 'production',
  }))
