import type { DataRule, Switch } from './data-rules.ts'
import { isProfileB, type State } from './state.ts'

const TIMESTAMP = { sqlite: 'integer', postgres: 'timestamp (3) with time zone' }

/**
 * This second's last millisecond: all access tokens so far are void. Mode basic itself writes whole seconds, so that whatever
 * it writes later is another moment than this.
 */
const NOW = {
  sqlite: 'unixepoch() * 1000 + 999',
  postgres: "date_trunc('second', now()) + interval '999 milliseconds'",
}

/** Mode complete is left for basic: what basic does not know of is kept in two columns that no code has, for the way back. */
export function park({ dialect, physical }: Switch): DataRule[] {
  if (!physical.has('users', 'is_verified', 'tokens_valid_from')) return []
  const columns = Object.entries({ verified_email: 'text', basic_since: TIMESTAMP[dialect] })
    .filter(([name]) => !physical.has('users', name))
    .map(([name, type]) => `ALTER TABLE users ADD ${name} ${type};`)
  return [
    {
      why: 'For the way back to mode complete: what was verified, and since when it does not count.',
      sql: columns,
    },
    {
      why: 'Mode basic knows no sessions: an access token whose session was ended would be good again.',
      sql: [
        `UPDATE users SET verified_email = CASE WHEN is_verified THEN email END, tokens_valid_from = ${NOW[dialect]}, basic_since = ${NOW[dialect]};`,
      ],
    },
  ].filter(({ sql }) => sql.length > 0)
}

/** Mode basic is left for complete. */
export function comeBack(step: Switch, lastComplete: State | undefined): DataRule[] {
  const { existingUsers, physical } = step
  if (!physical.has('users', 'is_verified')) return []
  const isVerified = existingUsers === 'verified'
  const join: DataRule = {
    why: `Whoever registered in mode basic starts as ${isVerified ? 'verified: so it was asked for' : 'not verified: he may have given the address of somebody else'}.`,
    sql: [`UPDATE users SET is_verified = ${isVerified}`],
  }
  if (!lastComplete) return [withSql(join, ';')]
  const isKnown = physical.has('users', 'verified_email', 'basic_since', 'tokens_valid_from')
  if (!isKnown)
    return [nobodyIsVerified, ...endAll(step, lastComplete, 'SELECT id FROM users', 'SELECT id FROM users')]
  return [
    {
      why: 'An address that was changed in mode basic was never verified: its user would be trusted as somebody else.',
      sql: [
        'UPDATE users SET is_verified = coalesce(verified_email = email, false) WHERE basic_since IS NOT NULL;',
      ],
    },
    withSql(join, ' WHERE basic_since IS NULL;'),
    ...endAll(
      step,
      lastComplete,
      'SELECT id FROM users WHERE NOT is_active OR tokens_valid_from IS DISTINCT FROM basic_since',
      'SELECT id FROM users WHERE NOT is_active OR tokens_valid_from IS DISTINCT FROM basic_since OR verified_email IS DISTINCT FROM email',
    ),
    {
      why: 'From here on mode complete knows it all itself.',
      sql: ['UPDATE users SET verified_email = NULL, basic_since = NULL;'],
    },
  ]
}

const withSql = (rule: DataRule, end: string): DataRule => ({
  ...rule,
  sql: rule.sql.map((sql) => sql + end),
})

/** A migration made the table anew, without what was parked in it. */
const nobodyIsVerified: DataRule = {
  why: 'What was verified is not known any more: an address may have been changed since.',
  sql: ['UPDATE users SET is_verified = false;'],
}

/**
 * Ends sessions and voids what was mailed.
 * @param lockedOut query of the users who were locked out in mode basic, or got another password
 * @param moved query of these and of those with another address
 */
function endAll({ physical }: Switch, lastComplete: State, lockedOut: string, moved: string): DataRule[] {
  const why = {
    sessions:
      'Whoever was locked out in mode basic, or got a new password against a thief, would have the old sessions again.',
    mailed: 'A code in the mailbox of an old address would verify the new one, or reset the password.',
  }
  if (!isProfileB(lastComplete)) {
    if (!physical.hasTable('tokens')) return []
    return [
      {
        why: why.sessions,
        sql: [`DELETE FROM tokens WHERE token_type = 'refresh' AND user_id IN (${lockedOut});`],
      },
      {
        why: why.mailed,
        sql: [`DELETE FROM tokens WHERE token_type IN ('verification', 'reset') AND user_id IN (${moved});`],
      },
    ]
  }
  return [
    {
      why: why.sessions,
      sql: [`UPDATE refresh_tokens SET is_revoked = true WHERE user_id IN (${lockedOut});`],
    },
    { why: why.mailed, sql: [`UPDATE verification_codes SET is_used = true WHERE user_id IN (${moved});`] },
  ].filter((_, index) => physical.hasTable(index === 0 ? 'refresh_tokens' : 'verification_codes'))
}
