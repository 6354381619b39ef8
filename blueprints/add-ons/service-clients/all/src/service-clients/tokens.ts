import type { Context } from '../context.ts'
import type { ServiceClient } from '../db/schema/service-clients.ts'
import { requireCounted, takeAttempts } from '../limits/attempts.ts'
import { OAuthError } from '../schemas/oauth.ts'
import { isHashOf } from './secrets.ts'

const windowMs = 60_000
const notDurable = { durable: false }

/** Lifetime of an access token, in seconds. A client gets the next one with its secret: there are no refresh tokens. */
export const clientTokenSeconds = 15 * 60

/** As long as a hash, and that of nothing. */
const noHash = '-'.repeat(43)

/** What identifies a client in a request. */
export interface Credentials {
  name: string
  secret: string
  /** IP address of the client. */
  address: string
}

/**
 * Finds the client of a name and secret.
 *
 * An attempt counts as failed before the secret is compared, so that concurrent guesses cannot exceed the limit. By name
 * and address: guesses from elsewhere, or a program with an old secret, must not keep other programs out.
 * @param find returns the client of a name
 * @throws OAuthError invalid_client, whatever is wrong; ApiError too_many_requests
 */
export async function authenticateClient(
  { addressLimits, config, db, now }: Context,
  find: (name: string) => Promise<ServiceClient | undefined>,
  { name, secret, address }: Credentials,
): Promise<ServiceClient> {
  const { failures, tokens } = config.serviceClients
  // Not in the database: each made-up name would be a row.
  const giveBack = await addressLimits.limit('client failures', failures).take(address, name)

  const client = await find(name)
  // The same comparisons for an unknown client.
  const isCurrent = isHashOf(client?.secret ?? noHash, secret)
  const isPrevious = isHashOf(client?.previousSecret ?? noHash, secret)
  const isInOverlap = Number(client?.previousEndsAt ?? 0) > now()
  if (!client || client.revokedAt || !(isCurrent || (isPrevious && isInOverlap)))
    throw new OAuthError('invalid_client', { event: 'client.refused' })

  await giveBack()
  if (config.rateLimits.enabled) {
    const issued = { kind: 'client token', account: name, max: tokens, windowMs }
    const taken = await db.transaction((tx) => takeAttempts(tx, [issued], now()), notDurable)
    for (const each of taken) requireCounted(each, 'client tokens')
  }
  return client
}

/** Issues an access token of a client. It names no user, so that no guard for users accepts it. */
export const issueClientToken = ({ accessTokens }: Context, name: string, scope: string): string =>
  accessTokens.sign({ sub: name, client_id: name, scope }, clientTokenSeconds)

/** What an access token of a client says. @throws ApiError token_expired or invalid_token, also for the token of a user */
export const readClientToken = ({ accessTokens }: Context, token: string) =>
  accessTokens.accept(token, (signer, { payload }) => {
    const { sub, client_id: name, scope } = payload
    // A user may have the name of a client, for example after a restored backup. Only tokens of users have an id.
    if (!signer.isForService(payload) || 'user_id' in payload) return undefined
    if (typeof name !== 'string' || name !== sub || typeof scope !== 'string') return undefined
    return { name, scopes: scope.split(' ').filter(Boolean) }
  })
