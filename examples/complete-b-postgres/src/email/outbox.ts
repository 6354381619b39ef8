import { randomUUID } from 'node:crypto'
import { and, eq, inArray, isNull, type SQL } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { timeIn } from '../db/queries.ts'
import { outbox, type QueuedEmail } from '../db/schema/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { type KeyRing, seal, unseal } from '../keys.ts'
import { takeAttempts } from '../limits/attempts.ts'
import { brandVariables } from '../settings/theme.ts'
import type { User } from '../users/users.ts'
import { type EmailTemplates, loadEmailTemplates } from './templates.ts'

/** How long emails stay in the outbox, in milliseconds. They are not sent after it. */
export const keepMs = 7 * 24 * 60 * 60 * 1000

/** The values of `priority` in the outbox. */
export const priorities = [0, 1, 2] as const

/** Users wait for emails with a token, but not for one that undoes what somebody else did. */
const priorityOf = (kind?: string): (typeof priorities)[number] =>
  kind === 'reset' ? 0 : kind === undefined || kind === 'undo' ? 2 : 1

/**
 * The emails that are the only way back into an account. They are not limited, because a thief could use the limit up with
 * changes of their own, and are tried until their token expires.
 */
export const waysBack = ['undo_email_change', 'email_restored']

/**
 * A time in the given number of milliseconds, by the clock of the database: those of two instances may differ by minutes,
 * and one would send an email again that the other is still sending.
 */
export type OutboxTime = (ms: number) => Date | SQL

export interface OutgoingEmail {
  /** Address of the recipient, without a name. */
  to: string
  /** Name of the file in emails/, without the extension. */
  template: string
  variables: Record<string, string>
  /** The kind of token in the email, with which `giveUpEmails` names it. Default: none */
  kind?: string
  /**
   * Lifetime of the token in the email, in which emails are counted. The email is not sent after it. Default: the email has
   * no such token, and emails are counted by the hour.
   */
  tokenSeconds?: number
  /** How many emails of this kind, or with this template, an address gets in that time. Default: RATE_LIMIT_MAILS. */
  max?: number
  /** Rejects with ApiError too_many_requests if the recipient has had enough of them. Default: resolves to `false`. */
  isRequired?: boolean
  /** The user, for the log, and because their emails are deleted with them. */
  userId?: number
}

/** What queueing and sending an email takes. */
export interface Outbox {
  from: { address: string; name: string }
  templates: EmailTemplates
  time: OutboxTime
  /** Called with each queued email, before its transaction commits. */
  listeners: ((email: OutgoingEmail) => void)[]
}

/** Loads the templates. @param time when emails are due. Default: by the clock of the database */
export async function createOutbox(config: Config, time: OutboxTime = timeIn): Promise<Outbox> {
  const brand = brandVariables(config)
  const from = { ...config.email.from, name: brand.app_name }
  return { from, templates: await loadEmailTemplates(brand), time, listeners: [] }
}

/**
 * Queues an email, which is sent if and only if the transaction commits.
 * @returns false if the recipient has had enough emails of this kind: nothing is queued
 * @throws Error if the template is missing or needs other variables
 */
export async function queueEmail(ctx: Context, tx: Transaction, email: OutgoingEmail): Promise<boolean> {
  const isAllowed = await countEmail(ctx, tx, email)
  if (isAllowed) await insertEmail(ctx, tx, email)
  return isAllowed
}

/** Queues an email that tells a user something, at the address and with the name in `user`. */
export function emailUser(
  ctx: Context,
  tx: Transaction,
  user: User,
  template: string,
  given: Record<string, string> = {},
): Promise<boolean> {
  const variables = { username: shownName(user), ...given }
  return queueEmail(ctx, tx, { to: user.email, userId: user.id, template, variables })
}

/**
 * Limits emails per recipient and kind, so that no one can flood a mailbox. The window is the lifetime of the token:
 * otherwise a stranger could use the limit up, and the owner would be without a valid token until it ends.
 * @returns whether the recipient may get the email
 */
export async function countEmail(
  { config, log, now }: Context,
  tx: Transaction,
  { isRequired, kind, max, to, template, tokenSeconds = 60 * 60, userId }: OutgoingEmail,
): Promise<boolean> {
  const { enabled, mails } = config.rateLimits
  if (!enabled || waysBack.includes(template)) return true
  const counted = `email ${kind ?? template}`
  const attempt = { kind: counted, account: to, max: max ?? mails, windowMs: tokenSeconds * 1000 }
  const [taken] = await takeAttempts(tx, [attempt], now())
  if (taken?.refusedFor === undefined) return true
  const name = max === undefined ? 'RATE_LIMIT_MAILS' : counted
  if (isRequired)
    throw new ApiError('too_many_requests', { retryAfter: taken.refusedFor, log: { userId, limit: name } })
  log.info({ event: 'mail.limited', userId, limit: name, template }, 'email limited')
  return false
}

/** Queues an email that `countEmail` has allowed. */
export async function insertEmail(
  { keys, now, outbox: { from, listeners, templates, time } }: Context,
  tx: Transaction,
  email: OutgoingEmail,
): Promise<void> {
  const { kind, to, template, tokenSeconds, userId, variables } = email
  // An error in the variables fails the request instead of the delivery.
  const { subject } = templates.render(template, variables)
  await tx.insert(outbox).values({
    // RFC 5322 section 3.6.4.
    messageId: `<${randomUUID()}@${from.address.split('@').at(-1)}>`,
    userId,
    recipient: to,
    domain: to.slice(to.lastIndexOf('@') + 1),
    subject,
    template,
    kind,
    priority: priorityOf(kind),
    sealedVariables: seal(JSON.stringify(variables), keys.outbox),
    createdAt: new Date(now()),
    notAfter: tokenSeconds === undefined ? null : new Date(now() + tokenSeconds * 1000),
    nextAttemptAt: time(0),
  })
  for (const listener of listeners) listener(email)
}

/** Gives up the emails of a user that are not sent yet and have a token of these kinds, which was revoked. */
export async function giveUpEmails(
  { log }: Context,
  tx: Transaction,
  userId: number,
  kinds: string[],
): Promise<void> {
  const isUnsent = and(isNull(outbox.sentAt), isNull(outbox.failedAt))
  const givenUp = await tx
    .update(outbox)
    .set({ failedAt: timeIn(0) })
    .where(and(eq(outbox.userId, userId), inArray(outbox.kind, kinds), isUnsent))
    .returning({ mailId: outbox.id, template: outbox.template, attempts: outbox.attempts })
  const reason = 'The token in the email was revoked'
  for (const email of givenUp)
    log.info({ event: 'mail.given_up', userId, ...email, reason }, 'email given up')
}

/** The variables of a queued email. @throws Error if no key decrypts them */
export function queuedVariables(email: QueuedEmail, keys: KeyRing): Record<string, string> {
  const variables: Record<string, string> = JSON.parse(unseal(email.sealedVariables ?? '', keys))
  return variables
}

/**
 * The link to a page of the front end. Puts the token in the fragment, which browsers do not send: it gets into no server
 * log and no Referer header.
 */
export function pageLink({ server }: Config, page: string, token: string): string {
  const url = new URL(server.frontendUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${page}`
  url.hash = `token=${token}`
  return url.href
}

/**
 * The username as an email shows it. Until the address is verified, it may belong to a stranger, and email programs would
 * turn a name such as evil.com into a link.
 */
export const shownName = ({ username, isVerified }: User): string =>
  isVerified ? username : withoutLinks(username)

/**
 * A text of one user as an email to another shows it: email programs make no link of `evil[.]com` and `http[:]//`.
 * Browsers read three other characters as the dot of a domain too (UTS #46).
 */
export const withoutLinks = (text: string): string =>
  text.replaceAll(/[.\u3002\uff0e\uff61]/g, '[.]').replaceAll('://', '[:]//')
