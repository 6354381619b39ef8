import { isProfileB } from '../../answers/variant.ts'
import type { Rule, Switch } from './rule.ts'

/** Indexes of profile B's sessions in version 0.1.0. */
const OF_SESSIONS = ['refresh_tokens_token_unique', 'refresh_tokens_user', 'refresh_tokens_expires_at']

/** Drops the indexes of an earlier version that cost more than they give. Rows and columns stay. */
export function dropIndexes({ dialect, existing, to }: Switch): Rule[] {
  if (!isProfileB(to)) return []
  const indexes = OF_SESSIONS.filter(existing.hasIndex).map((index) => `DROP INDEX IF EXISTS ${index};`)
  // PostgreSQL stores a unique column as a constraint.
  const constraints = OF_SESSIONS.filter(
    (index) => dialect === 'postgres' && existing.hasConstraint('refresh_tokens', index),
  ).map((index) => `ALTER TABLE refresh_tokens DROP CONSTRAINT IF EXISTS ${index};`)
  const why =
    'No query needs these indexes, and on PostgreSQL each refresh wrote all indexes because of them.'
  return [indexes, constraints].filter(({ length }) => length > 0).map((sql) => ({ why, sql }))
}
