import { and, eq, gte, inArray } from 'drizzle-orm'
import { identities } from '../db/schema/identities.ts'
import { readProviders } from '../oidc/providers.ts'
import type { Factor } from '../sign-in/factors.ts'

/** Accounts at providers: a way to log in of their own. They prove no factor. */
export const identity: Factor = {
  name: 'identity',
  title: 'an account at a provider',
  asks: false,
  logsIn: true,
  count: (db, id, since) =>
    db.$count(identities, and(eq(identities.userId, id), since && gte(identities.createdAt, since))),
  /** Those of providers that are configured. */
  countUsable({ config }, db, userId) {
    const issuers = readProviders(config).map(({ issuer }) => issuer)
    return db.$count(identities, and(eq(identities.userId, userId), inArray(identities.issuer, issuers)))
  },
  state: () => ({}),

  async remove(tx, userId, since) {
    const removed = await tx
      .delete(identities)
      .where(and(eq(identities.userId, userId), since && gte(identities.createdAt, since)))
      .returning({ id: identities.id })
    return removed.length > 0
  },
}
