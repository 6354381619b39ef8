import { and, eq } from 'drizzle-orm'
import type { ExpiredRows } from '../db/batches.ts'
import { outbox } from '../db/schema/outbox.ts'
import { users } from '../db/schema/users.ts'

/**
 * Unclaimed registrations: the address was never verified, and no one has logged in. Otherwise anyone could keep the
 * address of a stranger occupied for ever.
 */
export const expiredRegistrations = (before: number): ExpiredRows => ({
  table: users,
  key: users.id,
  time: users.unclaimedSince,
  before: new Date(before),
  where: and(
    // Users that an administrator changed stay.
    eq(users.isVerified, false),
    eq(users.isActive, true),
  ),
  // A mail that still waits would go to a stranger, with a token of no user.
  owned: { table: outbox, key: outbox.userId },
  event: 'registration.expired',
})
