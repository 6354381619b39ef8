import type { FastifyBaseLogger } from 'fastify'
import * as additions from './additions/index.ts'
import type { Config } from './config.ts'
import type { Database, Transaction } from './db/database.ts'
import { type AddressLimits, createAddressLimits } from './limits/address-limit.ts'
import { type Credentials, createCredentials, type Hashing } from './passwords/credentials.ts'
import { type AccessTokens, createAccessTokens } from './sessions/access-tokens.ts'
import { createUserLookup, type UserLookup } from './sessions/caller.ts'
import { endSessions } from './sessions/sessions.ts'
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
}

/** What every flow takes first. Built once: its parts hold prepared statements, caches, counts and queues. */
export interface Context extends Pick<Dependencies, 'config' | 'db' | 'now' | 'log'> {
  accessTokens: AccessTokens
  addressLimits: AddressLimits
  credentials: Credentials
  /** What a new password and a deactivation end. An addition appends what else lets a user in. */
  endsWithAccess: ((ctx: Context, tx: Transaction, userId: number) => Promise<void>)[]
  findUser: UserLookup
  users: UserQueries
}

/** Adds to a new context, or wraps what is in it. Each file of additions/ exports one, under its own name. */
export type Addition = (ctx: Context) => void | Promise<void>

export async function createContext({ config, db, now, log, hashing }: Dependencies): Promise<Context> {
  const ctx: Context = {
    config,
    db,
    now,
    log,
    accessTokens: createAccessTokens(config.accessTokens, now),
    addressLimits: createAddressLimits(config.rateLimits, now),
    credentials: createCredentials(config, hashing),
    endsWithAccess: [endSessions],
    findUser: createUserLookup(db),
    users: createUserQueries(db),
  }
  for (const add of Object.values<Addition>(additions)) await add(ctx)
  return ctx
}
