import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** The database file. */
export const database = z
  .object({
    DATABASE_URL: z
      .string()
      .regex(/^file:(?!.*:memory:).+/, 'must be file: and a path, such as file:data/app.db')
      .default('file:data/app.db')
      .describe('The SQLite file; a relative path starts at the working directory'),
  })
  .transform((env) => ({
    /** Absolute path of the database file. */
    file: env.DATABASE_URL.startsWith('file:///')
      ? fileURLToPath(env.DATABASE_URL)
      : resolve(env.DATABASE_URL.slice('file:'.length)),
    /** How long a transaction waits for another process's lock before it fails, in milliseconds. */
    busyTimeoutMs: 5_000,
  }))
