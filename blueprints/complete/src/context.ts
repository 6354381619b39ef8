import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { createOutbox, type Outbox } from './email/outbox.ts'
import { type AddressLimits, createAddressLimits } from './limits/address-limit.ts'
import { type Credentials, createCredentials, type Hashing } from './passwords/credentials.ts'
import { type AccessTokens, createAccessTokens } from './sessions/access-tokens.ts'
import { createSessionLookup, type SessionLookup } from './sessions/caller.ts'
import { deriveKeys, type Keys } from './sessions/keys.ts'
import { createUserQueries, type UserQueries } from './users/users.ts'

/** What the service depends on. start.ts and the commands pass the real ones, tests pass replacements. */
export interface Dependencies {
  config: Config
  db: Database
  /** The clock: milliseconds since 1970. */
  now: () => number
  log: FastifyBaseLogger
  /** Hashes and verifies passwords. Default: the libraries. */
  hashing?: Hashing | undefined
  /** When emails are due. Default: by the clock of the database. */
  emailTime?: Outbox['time'] | undefined
}

/** What every flow takes first. Built once: its parts hold prepared statements, caches, counts and queues. */
export interface Context extends Pick<Dependencies, 'config' | 'db' | 'now' | 'log'> {
  accessTokens: AccessTokens
  addressLimits: AddressLimits
  credentials: Credentials
  findSession: SessionLookup
  keys: Keys
  outbox: Outbox
  users: UserQueries
}

/** @throws Error if a template in emails/ or a value in src/settings/theme.ts is not usable */
export async function createContext(dependencies: Dependencies): Promise<Context> {
  const { config, db, now, log, hashing, emailTime } = dependencies
  const keys = deriveKeys(config.accessTokens)
  return {
    config,
    db,
    now,
    log,
    accessTokens: createAccessTokens(config.accessTokens, now),
    addressLimits: createAddressLimits(config.rateLimits, now),
    credentials: await createCredentials(config, hashing),
    findSession: createSessionLookup(db),
    keys,
    outbox: await createOutbox(config, emailTime),
    users: createUserQueries(db),
  }
}
