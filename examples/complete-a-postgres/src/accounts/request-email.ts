import { asc, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { isUnavailable } from '../db/dialect.ts'
import { skipLocked } from '../db/queries.ts'
import { mailRequests } from '../db/schema/mail-requests.ts'
import { lockChange, replaceUndoToken } from '../email/change-tokens.ts'
import { countEmail, insertEmail } from '../email/outbox.ts'
import { createEmailToken, type EmailTokenKind, replaceEmailToken } from '../email/tokens.ts'
import { takeAttempts, uncountAttempts } from '../limits/attempts.ts'
import { lockUserByEmail, pendingEmail } from '../users/emails.ts'
import type { User } from '../users/users.ts'
import { resetEmail, undoEmail } from './emails.ts'

/** A request that has waited longer, in milliseconds, is dropped: the client no longer expects the email. */
const keepMs = 60 * 60_000

/** How many requests one call handles. The others wait for the next one. */
const batchSize = 1_000

/**
 * Requests an email, which anyone can do for any address. The work for a known address takes longer, and two requests sent
 * at once would reveal which address has an account. So a request only writes a row, and the rest happens later.
 * @param email normalized
 */
export async function requestEmail({ db, now }: Context, kind: EmailTokenKind, email: string): Promise<void> {
  const createdAt = new Date(now())
  await db.transaction(async (tx) => {
    await tx.insert(mailRequests).values({ kind, email, createdAt }).onConflictDoNothing()
  })
}

/**
 * Handles the requests that wait now, and none that arrives meanwhile.
 * @param stop ends it after the current request
 */
export async function handleEmailRequests(ctx: Context, stop?: AbortSignal): Promise<void> {
  const waiting = await ctx.db.read
    .select({ id: mailRequests.id })
    .from(mailRequests)
    .orderBy(asc(mailRequests.id))
    .limit(batchSize)
  let failure: { error: unknown } | undefined
  for (const { id } of waiting) {
    if (stop?.aborted) break
    await handle(ctx, id).catch((error: unknown) => {
      // A request that always fails, such as by a broken template, must not stop those after it.
      if (isUnavailable(error)) throw error
      failure = { error }
    })
  }
  if (failure) throw failure.error
}

/** Handles a request in one transaction: after a crash it still waits, and no other instance handles it too. */
const handle = (ctx: Context, id: number): Promise<void> =>
  ctx.db.transaction(async (tx) => {
    const [request] = await skipLocked(tx.select().from(mailRequests).where(eq(mailRequests.id, id)))
    if (!request) return
    const { kind, email, createdAt } = request
    // An add-on that is removed leaves its requests.
    const isWanted = kind in ctx.tokenEmails && ctx.now() - createdAt.getTime() <= keepMs
    if (isWanted) await answer(ctx, tx, kind, email)
    // Last: in PostgreSQL, a new request for the same address waits for a deleted row, and could measure the work above.
    await tx.delete(mailRequests).where(eq(mailRequests.id, id))
  })

async function answer(ctx: Context, tx: Transaction, kind: EmailTokenKind, email: string): Promise<void> {
  const { config, log, now } = ctx
  const { enabled, mailIntervalSeconds } = config.rateLimits
  // Each kind has a separate count: requests for verifications must not block a password reset.
  const windowMs = mailIntervalSeconds * 1000
  const attempt = { kind: `${kind} request`, account: email, max: 1, windowMs }
  const [taken] = enabled && windowMs > 0 ? await takeAttempts(tx, [attempt], now()) : []
  if (taken?.refusedFor !== undefined) {
    const limited = { limit: 'RATE_LIMIT_MAIL_INTERVAL_SECONDS', template: kind }
    log.info({ event: 'mail.limited', ...limited }, 'email limited')
    return
  }
  const user = await lockUserByEmail(tx, email)
  if (!user && kind === 'reset' && !(await queueUndoAgain(ctx, tx, email)) && taken)
    await uncountAttempts(tx, [taken.key])
  if (!user?.isActive) return
  // While a change waits, the registered address may be a typing mistake, whose owner must not verify it.
  if (kind === 'verification' && (user.isVerified || pendingEmail(user, now()) !== undefined)) return
  const isQueued = await queueEmailToken(ctx, tx, user, kind)
  // Otherwise a stranger's requests beyond the limit of emails would delay the owner's first request after it.
  if (!isQueued && taken) await uncountAttempts(tx, [taken.key])
}

/**
 * Queues another undo email for a former address, also of an inactive user: who reads its mailbox for a minute can delete
 * the first one. Counts as a reset. @returns false if the limit of emails is reached. The last token stays valid
 */
async function queueUndoAgain(ctx: Context, tx: Transaction, email: string): Promise<boolean> {
  const found = await lockChange(ctx, tx, { email })
  if (!found) return true
  const former = { ...found.user, email }
  if (!(await countEmail(ctx, tx, resetEmail(former, '', ctx.config)))) return false
  const undo = undoEmail(former, await replaceUndoToken(ctx, tx, found.change), ctx.config)
  const tokenSeconds = (found.change.expiresAt.getTime() - ctx.now()) / 1000
  await insertEmail(ctx, tx, { ...undo, tokenSeconds })
  return true
}

/**
 * Queues an email with a new token for a user whose row is locked or new.
 * @returns false if the limit of emails is reached. The last token stays valid
 */
export async function queueEmailToken(
  ctx: Context,
  tx: Transaction,
  user: User,
  kind: EmailTokenKind,
): Promise<boolean> {
  const { text, hash } = createEmailToken(ctx.keys.emailTokens)
  const build = ctx.tokenEmails[kind]
  if (!build) throw new Error(`No email for tokens of the kind ${kind}`)
  const email = await build(user, text, ctx.config, tx)
  const isAllowed = await countEmail(ctx, tx, email)
  if (isAllowed) {
    await replaceEmailToken(ctx, tx, user, kind, hash, email.tokenSeconds)
    await insertEmail(ctx, tx, email)
  }
  return isAllowed
}
