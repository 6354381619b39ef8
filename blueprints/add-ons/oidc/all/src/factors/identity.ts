import { and, eq, gte, inArray } from 'drizzle-orm'
import { identities } from '../db/schema/identities.ts'
import { issuersOf } from '../oidc/providers.ts'
import type { Factor } from '../sign-in/factors.ts'

const ofUser = (userId: number, since?: Date) =>
  and(eq(identities.userId, userId), since && gte(identities.createdAt, since))

/** Accounts at providers: a way to log in of their own. They prove no factor. */
export const identity: Factor = {
  name: 'identity',
  title: 'an account at a provider',
  asks: false,
  logsIn: true,
  count: (db, userId, since) => db.$count(identities, ofUser(userId, since)),
  countUsable: ({ config }, db, userId) =>
    db.$count(identities, and(ofUser(userId), inArray(identities.issuer, issuersOf(config)))),
  state: () => ({}),
  async remove(tx, userId, since) {
    const removed = await tx.delete(identities).where(ofUser(userId, since)).returning({ id: identities.id })
    return removed.length > 0
  },
}
