import { and, eq, gt, inArray } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { importedUsers } from '../db/schema/imported-users.ts'
import { users } from '../db/schema/users.ts'
import { kindOf } from '../passwords/foreign/pace.ts'

/** More kinds than any service has: a file could bring one in each line. And users of a kind that are looked at together. */
const [maxKinds, pageSize] = [50, 50]

/** The kinds of imported hashes that users still have, each with the hash of one user. Forgets those that logins have replaced. */
export async function findKinds({ db }: Pick<Context, 'db'>): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const { hashKind, userId } = importedUsers
  let kind = ''
  for (let looked = 0; looked < maxKinds; looked += 1) {
    const next = db.read.select({ hashKind }).from(importedUsers).where(gt(hashKind, kind))
    kind = (await next.orderBy(hashKind).limit(1))[0]?.hashKind ?? ''
    if (kind === '') break
    const rows = await db.read
      .select({ userId, hash: users.hashedPassword })
      .from(importedUsers)
      .innerJoin(users, eq(users.id, userId))
      .where(eq(hashKind, kind))
      .orderBy(userId)
      .limit(pageSize)
    const replaced: number[] = []
    for (const { hash, userId } of rows)
      if (kindOf(hash) === kind) found.set(kind, hash)
      else replaced.push(userId)
    if (replaced.length === 0) continue
    const isReplaced = and(inArray(userId, replaced), eq(hashKind, kind))
    await db.transaction((tx) => tx.update(importedUsers).set({ hashKind: null }).where(isReplaced))
  }
  return found
}
