import { isProfileB, type State } from '../../answers/variant.ts'
import type { DatabaseSchema } from '../schema/database-schema.ts'
import type { Rule, Switch } from './rule.ts'

const TIMESTAMP = { sqlite: 'integer', postgres: 'timestamp (3) with time zone' }

/**
 * The last millisecond of this second, which invalidates all earlier access tokens. Mode basic writes whole seconds, so
 * a later value always differs from this one.
 */
const NOW = {
  sqlite: 'unixepoch() * 1000 + 999',
  postgres: "date_trunc('second', now()) + interval '999 milliseconds'",
}

/** A time that mode basic and `NOW` never write. */
const NEVER = { sqlite: '0', postgres: "'epoch'" }

/** From mode complete to basic: the columns, which basic does not use, for what it does not store. */
export function keptColumns({ dialect, existing }: Switch): Rule[] {
  if (!hasComplete(existing)) return []
  const sql = Object.entries({ kept_email: 'text', basic_since: TIMESTAMP[dialect] })
    .filter(([name]) => !existing.has('users', name))
    .map(([name, type]) => `ALTER TABLE users ADD ${name} ${type};`)
  const why =
    'For a switch back to mode complete: the address at the switch, and since when mode basic applies.'
  return sql.length > 0 ? [{ why, sql }] : []
}

/**
 * From mode complete to basic: keeps what basic does not store, for a switch back. If the switch was taken back and is
 * repeated, what users lost or changed in mode basic the first time stays so.
 */
export function toBasic({ dialect, existing }: Switch): Rule[] {
  if (!hasComplete(existing)) return []
  return [
    {
      why: 'Mode basic has no sessions, so without this an access token of a revoked session would be valid again.',
      sql: [
        `UPDATE users SET kept_email = CASE WHEN basic_since IS NULL THEN email ELSE kept_email END, tokens_valid_from = ${NOW[dialect]}, basic_since = CASE WHEN basic_since IS NULL OR tokens_valid_from IS NOT DISTINCT FROM basic_since THEN ${NOW[dialect]} ELSE ${NEVER[dialect]} END;`,
      ],
      isLarge: true,
    },
    {
      why: 'Without this, an address that was asked for before mode basic could still be confirmed after it.',
      sql: [
        'UPDATE users SET pending_email = NULL, pending_email_token = NULL, pending_email_session = NULL, pending_email_expires_at = NULL WHERE pending_email IS NOT NULL;',
      ],
      isLarge: true,
    },
    {
      why: 'Mode basic does not record logins, so after a switch back the clean-up could delete users who have logged in.',
      sql: ['UPDATE users SET unclaimed_since = NULL WHERE unclaimed_since IS NOT NULL;'],
      isLarge: true,
    },
  ]
}

const hasComplete = (existing: DatabaseSchema): boolean =>
  existing.has('users', 'is_verified', 'tokens_valid_from')

/**
 * From mode basic to complete. Restores what an earlier switch to basic kept.
 * @param lastComplete the last state in mode complete; undefined if there was none
 */
export function toComplete(input: Switch, lastComplete: State | undefined): Rule[] {
  const { existingUsers, existing } = input
  if (!existing.has('users', 'is_verified')) return []
  const isVerified = existingUsers === 'verified'
  const join: Rule = {
    why: `Users who registered in mode basic start as ${isVerified ? 'verified, as set by --existing-users' : 'unverified: the address may belong to someone else'}.`,
    sql: [`UPDATE users SET is_verified = ${isVerified} WHERE ${isVerified ? 'NOT ' : ''}is_verified`],
    isLarge: isVerified,
  }
  // Without a switch that was taken back, these tables are empty.
  if (!lastComplete) return [withSql(join, ';'), ...revokeSessions(input, input.to, 'SELECT id FROM users')]
  if (!isKept(existing))
    return [nobodyVerified, ...revokeSessions(input, lastComplete, 'SELECT id FROM users')]
  return [
    withSql(join, ' AND basic_since IS NULL;'),
    {
      why: 'An address that was changed in mode basic was never verified and may belong to someone else.',
      sql: [
        'UPDATE users SET is_verified = false WHERE is_verified AND basic_since IS NOT NULL AND email IS DISTINCT FROM kept_email;',
      ],
    },
    ...revokeSessions(
      input,
      lastComplete,
      'SELECT id FROM users WHERE NOT is_active OR tokens_valid_from IS DISTINCT FROM basic_since OR email IS DISTINCT FROM kept_email',
    ),
  ]
}

/** The last step of a switch back to mode complete, when no other rule needs what the switch to basic kept. */
export function endBasic({ existing }: Switch): Rule[] {
  if (!isKept(existing)) return []
  return [
    {
      why: 'A later switch to mode basic keeps the addresses of that time.',
      sql: ['UPDATE users SET kept_email = NULL, basic_since = NULL WHERE basic_since IS NOT NULL;'],
      isLarge: true,
    },
  ]
}

/** Whether the table of users still has what a switch to mode basic kept. */
const isKept = (existing: DatabaseSchema): boolean =>
  existing.has('users', 'is_verified', 'kept_email', 'basic_since', 'tokens_valid_from')

/** Mode basic never answers them, and after a switch back no user expects the mail. */
export const dropMailRequests: Rule = {
  why: 'Requests for mails that waited when mode basic began are dropped: no user expects these mails any more.',
  sql: ['DELETE FROM mail_requests;'],
}

const withSql = (rule: Rule, end: string): Rule => ({
  ...rule,
  sql: rule.sql.map((sql) => sql + end),
})

/** An earlier migration created the table again, without the kept columns. */
const nobodyVerified: Rule = {
  why: 'It is unknown which addresses were verified, and they may have been changed since.',
  sql: ['UPDATE users SET is_verified = false WHERE is_verified;'],
}

/**
 * Revokes sessions, and voids all emailed codes and links: no user expects them any more.
 * @param changed query of the users who were deactivated in mode basic, or whose address or password changed
 */
function revokeSessions({ existing }: Switch, lastComplete: State, changed: string): Rule[] {
  const why = {
    sessions:
      'Without this, old sessions would be valid again for users who were deactivated in mode basic or changed a stolen password.',
    emailed:
      'Without this, a code emailed to an old address would verify the new one, or reset the password.',
  }
  if (isProfileB(lastComplete))
    return [
      {
        table: 'refresh_tokens',
        why: why.sessions,
        sql: [
          `UPDATE refresh_tokens SET is_revoked = true WHERE NOT is_revoked AND user_id IN (${changed});`,
        ],
      },
      {
        table: 'verification_codes',
        why: why.emailed,
        sql: ['UPDATE verification_codes SET is_used = true WHERE NOT is_used;'],
      },
    ].filter(({ table }) => existing.hasTable(table))
  if (!existing.hasTable('tokens')) return []
  return [
    {
      why: why.sessions,
      sql: [`DELETE FROM tokens WHERE token_type = 'refresh' AND user_id IN (${changed});`],
    },
    { why: why.emailed, sql: ["DELETE FROM tokens WHERE token_type IN ('verification', 'reset');"] },
  ]
}
