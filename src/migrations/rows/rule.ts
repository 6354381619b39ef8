import type { State } from '../../answers/variant.ts'
import type { DatabaseSchema } from '../schema/database-schema.ts'
import type { Dialect } from '../sql/tokens.ts'

/** Statements that the code of a new state needs. */
export interface Rule {
  /** One line of comment in the migration. For a security rule, it names the attack. */
  readonly why: string
  readonly sql: readonly string[]
  /** Whether PostgreSQL runs it for some users at a time: it changes so many that others would wait for the end. */
  readonly isLarge: boolean
}

export const rule = (why: string, ...sql: readonly string[]): Rule => ({ why, sql, isLarge: false })

/** @param sql UPDATEs of users, of which a second run must change nothing else */
export const largeRule = (why: string, ...sql: readonly string[]): Rule => ({ why, sql, isLarge: true })

/** Rules that only some switches need. */
export const when = (isNeeded: boolean, ...rules: Rule[]): Rule[] => (isNeeded ? rules : [])

/** The statements of a rule, preceded by its comment. */
export const explained = ({ why, sql: [first = '', ...others] }: Rule): string[] => [
  `-- ${why}\n${first}`,
  ...others,
]

/** What users of mode basic become in mode complete: the values of `--existing-users`. */
export const EXISTING_USERS = ['unverified', 'verified'] as const
export type ExistingUsers = (typeof EXISTING_USERS)[number]

export interface Switch {
  readonly dialect: Dialect
  /** The states of the project so far, the current one last. */
  readonly history: readonly State[]
  readonly to: State
  readonly existingUsers: ExistingUsers
  /** The schema of the database after the tables of the new state were added. */
  readonly existing: DatabaseSchema
}
