import { isProfileB } from '../../answers/variant.ts'
import type { DataRule, Switch } from './rule.ts'

/** Indexes of profile B's sessions in version 0.1.0. */
const OF_SESSIONS = ['refresh_tokens_token_unique', 'refresh_tokens_user', 'refresh_tokens_expires_at']

/** Drops the indexes of an earlier version that cost more than they give. Rows and columns stay. */
export function dropIndexes({ dialect, existing, to }: Switch): DataRule[] {
  if (!isProfileB(to)) return []
  const sql = OF_SESSIONS.flatMap((index) => {
    if (existing.hasIndex(index)) return [`DROP INDEX IF EXISTS ${index};`]
    // PostgreSQL stores a unique column as a constraint.
    if (dialect === 'postgres' && existing.hasConstraint('refresh_tokens', index))
      return [`ALTER TABLE refresh_tokens DROP CONSTRAINT IF EXISTS ${index};`]
    return []
  })
  const why =
    'No query needs these indexes, and on PostgreSQL each refresh wrote all indexes because of them.'
  return sql.length > 0 ? [{ why, sql }] : []
}
