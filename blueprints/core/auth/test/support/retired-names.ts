import { eq } from 'drizzle-orm'
import type { Transaction } from '../../src/db/database.ts'
import { users } from '../../src/db/schema/users.ts'
import { retireName } from '../../src/users/retired-names.ts'
import type { User } from '../../src/users/users.ts'
import { password } from './accounts.ts'
import type { TestApp } from './app.ts'

/** Deletes a user, whose username no one can register again. */
export async function deleteAndRetire(tx: Transaction, user: User): Promise<void> {
  await retireName(tx, user)
  await tx.delete(users).where(eq(users.id, user.id))
}

/** An attacker who wants the username of someone else. */
export const registerAs = (app: TestApp, username: string) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    body: { username, email: 'thief@example.com', password },
  })
