import { and, asc, eq, isNotNull } from 'drizzle-orm'
import { resetEmail } from '../accounts/emails.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { importedUsers } from '../db/schema/imported-users.ts'
import { countEmail, insertEmail } from '../email/outbox.ts'
import { createEmailToken, replaceEmailToken } from '../email/tokens.ts'
import { takeAttempts } from '../limits/attempts.ts'
import { unusablePassword } from '../passwords/hashes.ts'
import { lockUser, type User } from '../users/users.ts'

/** Queues the invitations of this second. @param stop ends it after the current transaction */
export async function sendInvitations(ctx: Context, stop?: AbortSignal): Promise<void> {
  const most = Math.ceil(ctx.config.imports.invitationsPerMinute / 60)
  for (let sent = 0; sent < most && !stop?.aborted; sent += 1) if (!(await inviteNext(ctx, most))) return
}

/** Resolves to false if nobody waits, or the instances together have sent enough. */
async function inviteNext(ctx: Context, max: number): Promise<boolean> {
  const { inviteSince, userId } = importedUsers
  const [next] = await ctx.db.read
    .select({ id: userId })
    .from(importedUsers)
    .where(isNotNull(inviteSince))
    .orderBy(asc(inviteSince), asc(userId))
    .limit(1)
  if (!next) return false
  return ctx.db.transaction(async (tx) => {
    const windowMs = (max * 60_000) / ctx.config.imports.invitationsPerMinute
    const [taken] = await takeAttempts(tx, [{ kind: 'invitations', account: '', max, windowMs }], ctx.now())
    if (taken?.refusedFor !== undefined) return false
    const user = await lockUser(tx, next.id)
    const waiting = await tx
      .update(importedUsers)
      .set({ inviteSince: null })
      .where(and(eq(userId, next.id), isNotNull(inviteSince)))
      .returning({ id: userId })
    if (user && waiting.length > 0) await invite(ctx, tx, user)
    return true
  })
}

/** Not those who have set a password since, or were deactivated. */
async function invite(ctx: Context, tx: Transaction, user: User): Promise<void> {
  if (!user.isActive || user.hashedPassword !== unusablePassword) return
  const { text, hash } = createEmailToken(ctx.keys.emailTokens)
  const { template, ...reset } = resetEmail(user, text, ctx.config)
  const email = { ...reset, template: `invitation_${template}` }
  const resetUrl = email.variables.reset_url ?? ''
  email.variables.forgot_url = resetUrl.replace(/reset-password#.*$/, 'forgot-password')
  if (!(await countEmail(ctx, tx, email))) return
  await replaceEmailToken(ctx, tx, user, 'reset', hash)
  await insertEmail(ctx, tx, email)
}
