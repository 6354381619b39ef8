import { z } from 'zod'
import { wholeNumber } from './types.ts'

/** Where the database is, and how long it may take. */
export const database = z
  .object({
    DATABASE_URL: z
      .string()
      // The message must not show the value: it holds a password.
      .refine(isServerUrl, {
        error: 'must be the address of a server, such as postgres://user:password@localhost:5432/name',
      })
      .default('postgres://localhost:5432/my-api')
      .describe('The PostgreSQL server, account and database; TLS by its parameter sslmode'),
    DATABASE_POOL_SIZE: wholeNumber({ min: 1, max: 1_000 })
      .default(10)
      .describe('Connections that each process keeps at most'),
    DATABASE_CONNECT_TIMEOUT_MS: wholeNumber({ min: 100, max: 60_000 })
      .default(2_000)
      .describe('How long a request waits for a connection, in milliseconds; then 503'),
    DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber({ min: 100, max: 600_000 })
      .default(2_000)
      .describe('How long a statement may take, waiting for locks included, in milliseconds; then 503'),
  })
  .transform((env) => ({
    /** Holds a password: never log it. */
    url: env.DATABASE_URL,
    poolSize: env.DATABASE_POOL_SIZE,
    connectTimeoutMs: env.DATABASE_CONNECT_TIMEOUT_MS,
    statementTimeoutMs: env.DATABASE_STATEMENT_TIMEOUT_MS,
  }))

function isServerUrl(text: string): boolean {
  return URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol)
}
