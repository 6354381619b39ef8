import { z } from 'zod'
import { wholeNumber } from './types.ts'

/** The connection to the database: address, pool size and timeouts. */
export const database = z
  .object({
    DATABASE_URL: z
      .string()
      // The message must not show the value, which contains a password.
      .refine(isServerUrl, {
        error: 'must be the address of a server, such as postgres://user:password@localhost:5432/name',
      })
      .default('postgres://localhost:5432/my-api')
      .describe('PostgreSQL server, account and database; the parameter sslmode sets TLS'),
    DATABASE_POOL_SIZE: wholeNumber({ min: 1, max: 1_000 })
      .default(10)
      .describe('Maximum number of connections per process'),
    DATABASE_CONNECT_TIMEOUT_MS: wholeNumber({ min: 100, max: 60_000 })
      .default(2_000)
      .describe('How long a request waits for a connection, in milliseconds; then 503'),
    DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber({ min: 100, max: 600_000 })
      .default(2_000)
      .describe('How long a statement may take, including waits for locks, in milliseconds; then 503'),
  })
  .transform((env) => ({
    /** Contains a password: never log it. */
    url: env.DATABASE_URL,
    poolSize: env.DATABASE_POOL_SIZE,
    connectTimeoutMs: env.DATABASE_CONNECT_TIMEOUT_MS,
    statementTimeoutMs: env.DATABASE_STATEMENT_TIMEOUT_MS,
  }))

function isServerUrl(text: string): boolean {
  return URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol)
}
