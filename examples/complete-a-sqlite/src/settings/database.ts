import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { environment, settings } from './types.ts'

const fileUrl = z
  .string()
  .regex(/^file:(?!.*:memory:).+/, 'must be file: and a path, such as file:data/app.db')

/** The database file. */
export const database = settings(
  {
    /** The SQLite file. A relative path starts at the working directory. */
    url: ['DATABASE_URL', fileUrl.default('file:data/app.db')],
    // As in server.ts, which describes it.
    environment: ['NODE_ENV', environment().optional()],
  },
  ({ url, environment = 'production' }): { file: string; busyTimeoutMs: number; isProduction?: boolean } => ({
    /** Absolute path of the database file. */
    file: url.startsWith('file:///') ? fileURLToPath(url) : resolve(url.slice('file:'.length)),
    /** How long a transaction waits for another process's lock before it fails, in milliseconds. */
    busyTimeoutMs: 5_000,
    /** Whether a missing folder is an error: after a typo, all users would seem to be gone. */
    isProduction: environment === 'production',
  }),
)
