import type { FastifyBaseLogger } from 'fastify'
import { resetEmail, verificationEmail } from './accounts/emails.ts'
import type { LoginStep } from './accounts/log-in.ts'
import * as additions from './additions/index.ts'
import type { Config } from './config.ts'
import type { Database, Reader, Transaction } from './db/database.ts'
import { cancelEmailChange } from './email/change-tokens.ts'
import { createOutbox, type Outbox, type OutgoingEmail } from './email/outbox.ts'
import { type EmailTokenKind, revokeEmailTokens } from './email/tokens.ts'
import type { ExpiringRows } from './jobs/clean-up.ts'
import { deriveKeys, type Keys } from './keys.ts'
import { type AddressLimits, createAddressLimits } from './limits/address-limit.ts'
import { type Credentials, createCredentials, type Hashing } from './passwords/credentials.ts'
import { type AccessTokens, createAccessTokens } from './sessions/access-tokens.ts'
import { createSessionLookup, type SessionLookup } from './sessions/caller.ts'
import { type EndsWithSessions, endSessions } from './sessions/sessions.ts'
import { createUserQueries, type User, type UserQueries } from './users/users.ts'

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
  /** What a new password and a deactivation end. An addition appends what else lets a user in. */
  endsWithAccess: ((ctx: Context, tx: Transaction, userId: number) => Promise<void>)[]
  /** What ends with sessions, because they asked for it. */
  endsWithSessions: EndsWithSessions[]
  /** Rows of additions that the clean-up deletes. */
  expiringRows: ExpiringRows[]
  findSession: SessionLookup
  /** Whether no password replaces a recent login of this user: see reauthenticate.ts. */
  hasSecondFactor: (db: Reader, userId: number) => Promise<boolean>
  keys: Keys
  /** What every login passes after its proof, such as a second factor. */
  loginSteps: LoginStep[]
  /** What a reset of the password also does, with its token and the time of its email. */
  onReset?: (ctx: Context, tx: Transaction, user: User, text: string, sentAt: Date) => Promise<void>
  outbox: Outbox
  /** Builds the email of each kind of emailed token. @param db for what the email says about the user */
  tokenEmails: Record<
    EmailTokenKind,
    (user: User, token: string, config: Config, db: Reader) => OutgoingEmail | Promise<OutgoingEmail>
  >
  users: UserQueries
  /** Whether only this user, logged in, verifies their address: the emailed token alone is not enough. */
  verifiesLoggedIn: (db: Reader, userId: number) => Promise<boolean>
  /** What else lets a user in, for an undo and a take-over, which remove it. @param since only what came then or later */
  waysIn: ((tx: Transaction, userId: number, since?: Date) => Promise<unknown>)[]
}

/** Adds to a new context, or wraps what is in it. Each file of additions/ exports one, under its own name. */
export type Addition = (ctx: Context) => void | Promise<void>

/** @throws Error if a template in emails/ or a value in src/settings/theme.ts is not usable */
export async function createContext(dependencies: Dependencies): Promise<Context> {
  const { config, db, now, log, hashing, emailTime } = dependencies
  const keys = deriveKeys(config.accessTokens)
  const ctx: Context = {
    config,
    db,
    now,
    log,
    accessTokens: createAccessTokens(config.accessTokens, now),
    addressLimits: createAddressLimits(config.rateLimits, now),
    credentials: createCredentials(config, hashing),
    endsWithAccess: [endSessions],
    // With all sessions: a thief who read the mailbox must not come back with a token that they asked for.
    endsWithSessions: [cancelEmailChange, async (ctx, tx, id, ids) => ids || revokeEmailTokens(ctx, tx, id)],
    expiringRows: [],
    findSession: createSessionLookup(db),
    hasSecondFactor: async () => false,
    keys,
    loginSteps: [],
    outbox: await createOutbox(config, emailTime),
    tokenEmails: { reset: resetEmail, verification: verificationEmail },
    users: createUserQueries(db),
    verifiesLoggedIn: async () => false,
    waysIn: [],
  }
  for (const add of Object.values<Addition>(additions)) await add(ctx)
  return ctx
}
