import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'

/** What the service depends on. start.ts passes the real ones, and tests pass replacements. */
export interface Dependencies {
  config: Config
  db: Database
  /** The clock: milliseconds since 1970. */
  now: () => number
  log: FastifyBaseLogger
}

/** What functions below the routes take first. Add what they share, such as the client of another service. */
export interface Context extends Dependencies {}

export async function createContext({ config, db, now, log }: Dependencies): Promise<Context> {
  return { config, db, now, log }
}
