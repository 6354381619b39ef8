import { isBasic, isProfileB, type State } from '../../answers/variant.ts'
import type { Dialect } from '../sql/tokens.ts'
import { NO_PENDING_CHANGE, NOW } from './modes.ts'
import { largeRule, type Rule, rule, type Switch, when } from './rule.ts'

/** What each profile issued, by table: the rows that it writes. The owner may have added other types of tokens. */
const ISSUED = {
  tokens: " WHERE token_type IN ('refresh', 'verification', 'reset', 'email_login')",
  refresh_tokens: '',
  verification_codes: '',
  sign_in_tokens: '',
}

/**
 * A switch of the profile ends sessions, and makes emailed links and codes invalid. Also what was issued before an earlier
 * switch, and by an instance that still ran in the other profile after it.
 * @param last the last state with users
 */
export function endIssued({ dialect, existing, to }: Switch, last: State): Rule[] {
  const rows = Object.entries(ISSUED)
    .filter(([table]) => existing.hasTable(table))
    .map(([table, which]) =>
      rule(
        'A session or code of the other profile would be valid again after a switch back: stolen ones too.',
        `DELETE FROM ${table}${which};`,
      ),
    )
  return [
    ...rows,
    ...when(existing.has('users', 'pending_email') && !isBasic(to), rule(...NO_PENDING_CHANGE)),
    ...when(
      existing.has('outbox', 'kind'),
      rule(
        'Emails with a link or code that is no longer valid are given up. All others are sent.',
        `UPDATE outbox SET failed_at = ${CLOCK[dialect]} WHERE kind <> 'undo' AND sent_at IS NULL AND failed_at IS NULL;`,
      ),
    ),
    ...when(
      isBasic(to) && isBasic(last),
      largeRule(
        'An access token of the other profile would be valid again after a switch back: a stolen one too.',
        `UPDATE users SET tokens_valid_from = ${NOW[dialect]};`,
      ),
    ),
  ]
}

/** The time of the migration. */
const CLOCK = { sqlite: 'unixepoch() * 1000', postgres: 'now()' }

/** Makes new sessions get ids above all ids that sessions of the other profile ever had. */
export function raiseIds({ dialect, existing, to }: Switch): Rule[] {
  const [table, other] = isProfileB(to) ? ['refresh_tokens', 'tokens'] : ['tokens', 'refresh_tokens']
  return when(existing.hasTable(table) && existing.hasTable(other), raiseSequence(dialect, table, other))
}

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
    'No id may be assigned twice: an old refresh token of an ended session would end the session of another user.',
    ...sql[dialect],
  )
}
