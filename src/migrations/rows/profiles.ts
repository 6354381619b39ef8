import { isProfileB, type State } from '../../answers/variant.ts'
import type { DatabaseSchema } from '../schema/database-schema.ts'
import type { Dialect } from '../sql/tokens.ts'
import { type Rule, rule, type Switch } from './rule.ts'

/** Moves the sessions and the mailed codes from the tables of one profile to those of the other. */
export function betweenProfiles({ dialect, existing, to }: Switch, lastComplete: State): Rule[] {
  if (isProfileB(to) === isProfileB(lastComplete)) return []
  if (!existing.hasTable(isProfileB(to) ? 'refresh_tokens' : 'tokens')) return []
  return isProfileB(to) ? toB(dialect, existing) : toA(dialect, existing)
}

/** The types of rows that profile A writes. The owner may have added others. */
const OURS = "('refresh', 'verification', 'reset')"

function toB(dialect: Dialect, existing: DatabaseSchema): Rule[] {
  const isGone = !existing.hasTable('tokens')
  const revoked = [
    rule(
      'Without this, a session that was revoked in profile A would be valid again.',
      isGone
        ? 'UPDATE refresh_tokens SET is_revoked = true WHERE NOT is_revoked;'
        : `UPDATE refresh_tokens SET is_revoked = true
WHERE NOT is_revoked AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.id = refresh_tokens.id AND token_type = 'refresh');`,
    ),
    rule(
      'Without this, a code that was used or replaced in profile A would be valid again.',
      'UPDATE verification_codes SET is_used = true WHERE NOT is_used;',
    ),
  ]
  if (isGone) return revoked
  return [
    ...revoked,
    rule(
      'An instance still running in profile B may have reused an id, which would give one user the session of another.',
      `DELETE FROM refresh_tokens
WHERE EXISTS (SELECT 1 FROM tokens WHERE tokens.id = refresh_tokens.id AND (tokens.user_id <> refresh_tokens.user_id OR tokens.created_at <> refresh_tokens.created_at));`,
    ),
    raiseSequence(dialect, 'refresh_tokens', 'tokens'),
    rule(
      'Sessions keep their ids, which are part of their tokens. Known devices keep their names.',
      `INSERT INTO refresh_tokens (id, user_id, token, expires_at, created_at, last_used_at, rotated_at)
SELECT id, user_id, token, expires_at, created_at, rotated_at, rotated_at FROM tokens WHERE token_type = 'refresh'
ON CONFLICT (id) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at, last_used_at = excluded.last_used_at, rotated_at = excluded.rotated_at;`,
    ),
    rule(
      CODES_STAY,
      `INSERT INTO verification_codes (user_id, code, code_type, expires_at, created_at)
SELECT user_id, token, CASE token_type WHEN 'reset' THEN 'password_reset' ELSE 'email_verification' END, expires_at, created_at
FROM tokens WHERE token_type IN ('verification', 'reset');`,
    ),
    rule(
      'Without this, a session that was revoked in profile B would be valid again after a switch back to profile A.',
      `DELETE FROM tokens WHERE token_type IN ${OURS};`,
    ),
  ]
}

const CODES_STAY = 'Mailed codes and links stay valid until they expire.'

function toA(dialect: Dialect, existing: DatabaseSchema): Rule[] {
  const sessions = [
    raiseSequence(dialect, 'tokens', 'refresh_tokens'),
    rule(
      'Sessions keep their ids, which are part of their tokens. The old rows stay, because they hold the device names.',
      `INSERT INTO tokens (id, user_id, token, token_type, expires_at, created_at, rotated_at)
SELECT id, user_id, token, 'refresh', expires_at, created_at, rotated_at FROM refresh_tokens WHERE NOT is_revoked;`,
    ),
  ]
  const codes = rule(
    CODES_STAY,
    `INSERT INTO tokens (user_id, token, token_type, expires_at, created_at)
SELECT user_id, code, CASE code_type WHEN 'password_reset' THEN 'reset' ELSE 'verification' END, expires_at, created_at
FROM verification_codes WHERE NOT is_used;`,
  )
  return [
    rule(
      'An instance still running in profile A may have written rows whose ids are those of profile B sessions.',
      `DELETE FROM tokens WHERE token_type IN ${OURS};`,
    ),
    ...(existing.hasTable('refresh_tokens') ? sessions : []),
    ...(existing.hasTable('verification_codes') ? [codes] : []),
  ]
}

/** Makes new rows of `table` get ids above all ids that either table ever had. */
function raiseSequence(dialect: Dialect, table: string, other: string): Rule {
  const sql = {
    sqlite: [
      `INSERT INTO sqlite_sequence (name, seq) SELECT '${table}', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '${table}');`,
      `UPDATE sqlite_sequence SET seq = (SELECT max(seq) FROM sqlite_sequence WHERE name IN ('${table}', '${other}')) WHERE name = '${table}';`,
    ],
    postgres: [
      `SELECT setval('${table}_id_seq', coalesce(last, 1), last IS NOT NULL) FROM (SELECT max(last_value) AS last FROM pg_sequences WHERE schemaname = current_schema() AND sequencename IN ('${table}_id_seq', '${other}_id_seq')) AS ids;`,
    ],
  }
  return rule(
    'No id may be assigned twice: an old refresh token of a revoked session would revoke the session of another user.',
    ...sql[dialect],
  )
}
