import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Database, Transaction } from '../db/database.ts'
import { isUniqueViolation } from '../db/dialect.ts'
import { forUpdate, prepare } from '../db/queries.ts'
import { type ServiceClient, serviceClients } from '../db/schema/service-clients.ts'
import { users } from '../db/schema/users.ts'
import { ApiError } from '../errors/api-error.ts'
import { unusablePassword } from '../passwords/hashes.ts'
import { isUsername } from '../users/names.ts'
import { retireName } from '../users/retired-names.ts'
import { insertUser } from '../users/users.ts'
import { hashSecret, newSecret } from './secrets.ts'

/** The reason why a change of a client was refused, for the operator. */
export class ClientError extends Error {
  override name = 'ClientError'
}

/** Whether a text can be the name of a client. */
export const isClientName = (text: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(text)

/** The scopes in a text, each once. Undefined if one has a character that no scope has (RFC 6749 section 3.3). */
export function readScopes(text: string): string[] | undefined {
  const scopes = [...new Set(text.split(' ').filter((scope) => scope !== ''))]
  return scopes.every((scope) => /^[!#-[\]-~]+$/.test(scope)) ? scopes : undefined
}

/** Prepares a query that finds a client by its name. */
export function createClientLookup({ read }: Database) {
  const byName = prepare(
    read
      .select()
      .from(serviceClients)
      .where(eq(serviceClients.name, sql.placeholder('name'))),
  )
  return async (name: string): Promise<ServiceClient | undefined> =>
    isClientName(name) ? (await byName({ name }))[0] : undefined
}

/**
 * Creates a client, whose name no user can get.
 * @returns its secret, which is stored nowhere
 * @throws ClientError if a client or user has or had the name
 */
export async function createClient({ db, now }: Context, name: string, scopes: string[]): Promise<string> {
  const secret = newSecret()
  const row = { name, scope: scopes.join(' '), secret: hashSecret(secret), createdAt: new Date(now()) }
  try {
    await db.transaction(async (tx) => {
      await tx.insert(serviceClients).values(row)
      if (isUsername(name)) await takeUsername(tx, name, now())
    })
  } catch (error) {
    if (error instanceof ApiError)
      throw new ClientError(`A user has or had the name ${name}. Choose another one.`)
    if (isUniqueViolation(error, 'service_clients_name_unique'))
      throw new ClientError(`The name ${name} is taken, perhaps by a revoked client. Choose another one.`)
    throw error
  }
  return secret
}

/**
 * Keeps a name from all users: a service that knows its callers by `sub` alone would take the user for the client (RFC 9068
 * section 5). A user of a moment has the name first, so that no registration can have it at the same time.
 * @throws ApiError already_registered if a user has or had it
 */
async function takeUsername(tx: Transaction, username: string, now: number): Promise<void> {
  const email = `${randomUUID()}@example.com`
  const { id } = await insertUser(tx, { username, email, hashedPassword: unusablePassword }, now)
  await tx.delete(users).where(eq(users.id, id))
  await retireName(tx, { username })
}

/**
 * Replaces the secret of a client. The old one works until `overlapMs` have passed, so that no request fails meanwhile.
 * @returns the new secret
 * @throws ClientError if there is no client of this name, or it is revoked
 */
export const rotateSecret = (ctx: Context, name: string, overlapMs: number): Promise<string> =>
  change(ctx, name, (client) => {
    if (client.revokedAt) throw new ClientError(`The client ${name} is revoked. Create another one.`)
    const secret = newSecret()
    const values = {
      secret: hashSecret(secret),
      previousSecret: client.secret,
      previousEndsAt: new Date(ctx.now() + overlapMs),
    }
    return [values, secret]
  })

/** Revokes a client for good, with its access tokens. @throws ClientError if there is no client of this name */
export const revokeClient = (ctx: Context, name: string): Promise<void> =>
  change(ctx, name, ({ revokedAt }) => [{ revokedAt: revokedAt ?? new Date(ctx.now()) }, undefined])

/** All clients by name, the revoked ones too. */
export const listClients = async ({ db }: Context): Promise<ServiceClient[]> =>
  db.read.select().from(serviceClients).orderBy(serviceClients.name)

/** Locks the row of a client, so that two rotations at the same time do not lose a secret, and updates it. */
const change = <Result>(
  { db }: Context,
  name: string,
  decide: (client: ServiceClient) => [values: Partial<ServiceClient>, result: Result],
): Promise<Result> =>
  db.transaction(async (tx: Transaction) => {
    const [client] = await forUpdate(tx.select().from(serviceClients).where(eq(serviceClients.name, name)))
    if (!client) throw new ClientError(`There is no client ${JSON.stringify(name)}.`)
    const [values, result] = decide(client)
    await tx.update(serviceClients).set(values).where(eq(serviceClients.id, client.id))
    return result
  })
