import { isProfileB, type State } from '../../answers/variant.ts'
import type { DatabaseSchema } from '../schema/database-schema.ts'
import { largeRule, type Rule, rule, type Switch, when } from './rule.ts'

const TIMESTAMP = { sqlite: 'integer', postgres: 'timestamp (3) with time zone' }

/**
 * The last millisecond of this second, which invalidates all earlier access tokens. Mode basic writes whole seconds, so
 * a later value always differs from this one.
 */
export const NOW = {
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
  return when(sql.length > 0, rule(why, ...sql))
}

/**
 * From mode complete to basic: keeps what basic does not store, for a switch back. If the switch was taken back and is
 * repeated, what users lost or changed in mode basic the first time stays so.
 */
export function toBasic({ dialect, existing }: Switch): Rule[] {
  if (!hasComplete(existing)) return []
  return [
    largeRule(
      'Mode basic has no sessions, so without this an access token of a revoked session would be valid again.',
      `UPDATE users SET kept_email = CASE WHEN basic_since IS NULL THEN email ELSE kept_email END, tokens_valid_from = ${NOW[dialect]}, basic_since = CASE WHEN basic_since IS NULL OR tokens_valid_from IS NOT DISTINCT FROM basic_since THEN ${NOW[dialect]} ELSE ${NEVER[dialect]} END;`,
    ),
    largeRule(...NO_PENDING_CHANGE),
    largeRule(
      'Mode basic does not record logins, so after a switch back the clean-up could delete users who have logged in.',
      'UPDATE users SET unclaimed_since = NULL WHERE unclaimed_since IS NOT NULL;',
    ),
  ]
}

/** The arguments of a rule. */
export const NO_PENDING_CHANGE = [
  'Without this, an address that was asked for before this switch could still be confirmed after a switch back.',
  'UPDATE users SET pending_email = NULL, pending_email_token = NULL, pending_email_session = NULL, pending_email_expires_at = NULL WHERE pending_email IS NOT NULL;',
] as const

const hasComplete = (existing: DatabaseSchema): boolean =>
  existing.has('users', 'is_verified', 'tokens_valid_from')

/**
 * From mode basic to complete. Restores what an earlier switch to basic kept.
 * @param lastComplete the last state in mode complete; undefined if there was none
 */
export function toComplete(input: Switch, lastComplete: State | undefined): Rule[] {
  const { existingUsers, existing } = input
  if (!existing.has('users', 'is_verified')) return []
  const join = (and: string) =>
    existingUsers === 'verified'
      ? largeRule(
          'Users who registered in mode basic start as verified, as set by --existing-users.',
          `UPDATE users SET is_verified = true WHERE NOT is_verified${and};`,
        )
      : rule(
          'Users who registered in mode basic start as unverified: the address may belong to someone else.',
          `UPDATE users SET is_verified = false WHERE is_verified${and};`,
        )
  // Without a switch that was taken back, these tables are empty.
  if (!lastComplete) return [join(''), ...revokeSessions(input, input.to, 'SELECT id FROM users')]
  if (!isKept(existing))
    return [nobodyVerified, ...revokeSessions(input, lastComplete, 'SELECT id FROM users')]
  return [
    join(' AND basic_since IS NULL'),
    rule(
      'An address that was changed in mode basic was never verified and may belong to someone else.',
      'UPDATE users SET is_verified = false WHERE is_verified AND basic_since IS NOT NULL AND email IS DISTINCT FROM kept_email;',
    ),
    ...revokeSessions(
      input,
      lastComplete,
      'SELECT id FROM users WHERE NOT is_active OR tokens_valid_from IS DISTINCT FROM basic_since OR email IS DISTINCT FROM kept_email',
    ),
  ]
}

/** The last step of a switch back to mode complete, when no other rule needs what the switch to basic kept. */
export const endBasic = ({ existing }: Switch): Rule[] =>
  when(
    isKept(existing),
    largeRule(
      'A later switch to mode basic keeps the addresses of that time.',
      'UPDATE users SET kept_email = NULL, basic_since = NULL WHERE basic_since IS NOT NULL;',
    ),
  )

/** Whether the table of users still has what a switch to mode basic kept. */
const isKept = (existing: DatabaseSchema): boolean =>
  existing.has('users', 'is_verified', 'kept_email', 'basic_since', 'tokens_valid_from')

/** Mode basic never answers them, and after a switch back no user expects the mail. */
export const dropMailRequests = rule(
  'Requests for emails that waited when mode basic began are dropped: no user expects these emails any more.',
  'DELETE FROM mail_requests;',
)

/** An earlier migration created the table again, without the kept columns. */
const nobodyVerified = rule(
  'It is unknown which addresses were verified, and they may have been changed since.',
  'UPDATE users SET is_verified = false WHERE is_verified;',
)

/**
 * Revokes sessions, and voids all emailed codes and links: no user expects them any more.
 * @param changed query of the users who were deactivated in mode basic, or whose address or password changed
 */
function revokeSessions({ existing }: Switch, lastComplete: State, changed: string): Rule[] {
  const sessions =
    'Without this, old sessions would be valid again for users who were deactivated in mode basic or changed a stolen password.'
  const emailed =
    'Without this, a code emailed to an old address would verify the new one, or reset the password.'
  const { hasTable } = existing
  if (isProfileB(lastComplete))
    return [
      ...when(
        hasTable('refresh_tokens'),
        rule(
          sessions,
          `UPDATE refresh_tokens SET is_revoked = true WHERE NOT is_revoked AND user_id IN (${changed});`,
        ),
      ),
      ...when(
        hasTable('verification_codes'),
        rule(emailed, 'UPDATE verification_codes SET is_used = true WHERE NOT is_used;'),
      ),
    ]
  return when(
    hasTable('tokens'),
    rule(sessions, `DELETE FROM tokens WHERE token_type = 'refresh' AND user_id IN (${changed});`),
    rule(emailed, "DELETE FROM tokens WHERE token_type IN ('verification', 'reset');"),
  )
}
