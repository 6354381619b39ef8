import type { DataRule, Switch } from './data-rules.ts'
import type { Physical } from './physical.ts'
import type { Dialect } from './sql-tokens.ts'
import { isProfileB, type State } from './state.ts'

/** Both ways, the sessions and what was mailed are carried from the tables of one profile into those of the other. */
export function carry({ dialect, physical, to }: Switch, lastComplete: State): DataRule[] {
  if (isProfileB(to) === isProfileB(lastComplete)) return []
  if (!physical.hasTable(isProfileB(to) ? 'refresh_tokens' : 'tokens')) return []
  return isProfileB(to) ? toB(dialect, physical) : toA(dialect, physical)
}

/** The types of rows that profile A writes: an owner may have added types of his own. */
const OURS = "('refresh', 'verification', 'reset')"

function toB(dialect: Dialect, physical: Physical): DataRule[] {
  const isGone = !physical.hasTable('tokens')
  const voided: DataRule[] = [
    {
      why: 'A session that was ended in profile A would come back to life.',
      sql: [
        isGone
          ? 'UPDATE refresh_tokens SET is_revoked = true;'
          : `UPDATE refresh_tokens SET is_revoked = true
WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.id = refresh_tokens.id AND token_type = 'refresh');`,
      ],
    },
    {
      why: 'A code that was used or replaced in profile A would be good again.',
      sql: ['UPDATE verification_codes SET is_used = true WHERE NOT is_used;'],
    },
  ]
  if (isGone) return voided
  return [
    ...voided,
    {
      why: 'An instance that ran on in profile B may have given out an id again: one user would get into the account of another.',
      sql: [
        `DELETE FROM refresh_tokens
WHERE EXISTS (SELECT 1 FROM tokens WHERE tokens.id = refresh_tokens.id AND (tokens.user_id <> refresh_tokens.user_id OR tokens.created_at <> refresh_tokens.created_at));`,
      ],
    },
    raiseSequence(dialect, 'refresh_tokens', 'tokens'),
    {
      why: 'Sessions keep their ids, which are part of their tokens; a device that is known keeps its name.',
      sql: [
        `INSERT INTO refresh_tokens (id, user_id, token, expires_at, created_at, last_used_at, rotated_at)
SELECT id, user_id, token, expires_at, created_at, rotated_at, rotated_at FROM tokens WHERE token_type = 'refresh'
ON CONFLICT (id) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at, last_used_at = excluded.last_used_at, rotated_at = excluded.rotated_at;`,
      ],
    },
    {
      why: 'What was mailed stays good until it expires.',
      sql: [
        `INSERT INTO verification_codes (user_id, code, code_type, expires_at, created_at)
SELECT user_id, token, CASE token_type WHEN 'reset' THEN 'password_reset' ELSE 'email_verification' END, expires_at, created_at
FROM tokens WHERE token_type IN ('verification', 'reset');`,
      ],
    },
    {
      why: 'Back in profile A, a session that was ended in profile B would come back to life.',
      sql: [`DELETE FROM tokens WHERE token_type IN ${OURS};`],
    },
  ]
}

function toA(dialect: Dialect, physical: Physical): DataRule[] {
  const sessions: DataRule[] = [
    raiseSequence(dialect, 'tokens', 'refresh_tokens'),
    {
      why: 'Sessions keep their ids, which are part of their tokens. Their rows stay as well, for the names of the devices.',
      sql: [
        `INSERT INTO tokens (id, user_id, token, token_type, expires_at, created_at, rotated_at)
SELECT id, user_id, token, 'refresh', expires_at, created_at, rotated_at FROM refresh_tokens WHERE NOT is_revoked;`,
      ],
    },
  ]
  const mailed: DataRule[] = [
    {
      why: 'What was mailed stays good until it expires.',
      sql: [
        `INSERT INTO tokens (user_id, token, token_type, expires_at, created_at)
SELECT user_id, code, CASE code_type WHEN 'password_reset' THEN 'reset' ELSE 'verification' END, expires_at, created_at
FROM verification_codes WHERE NOT is_used;`,
      ],
    },
  ]
  return [
    {
      why: 'What an instance that ran on in profile A wrote since is no session of profile B: it could have the id of one.',
      sql: [`DELETE FROM tokens WHERE token_type IN ${OURS};`],
    },
    ...(physical.hasTable('refresh_tokens') ? sessions : []),
    ...(physical.hasTable('verification_codes') ? mailed : []),
  ]
}

/** New rows of `table` get ids above all that either table ever had. */
function raiseSequence(dialect: Dialect, table: string, other: string): DataRule {
  const both = `('${table}', '${other}')`
  const sql = {
    sqlite: [
      `INSERT INTO sqlite_sequence (name, seq) SELECT '${table}', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '${table}');`,
      `UPDATE sqlite_sequence SET seq = (SELECT max(seq) FROM sqlite_sequence WHERE name IN ${both}) WHERE name = '${table}';`,
    ],
    postgres: [
      `SELECT setval('${table}_id_seq', greatest(1, (SELECT max(last_value) FROM pg_sequences WHERE schemaname = current_schema() AND sequencename IN ('${table}_id_seq', '${other}_id_seq'))));`,
    ],
  }
  return {
    why: 'No id is given out twice: the old refresh token of an ended session would end the session of somebody else.',
    sql: sql[dialect],
  }
}
