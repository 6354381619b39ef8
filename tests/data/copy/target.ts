import { inject } from 'vitest'
import type { Target } from '../../../src/copy/database.ts'
import type { Dialect } from '../../../src/migrations/sql/tokens.ts'
import { postgresTestTarget } from './postgres-database.ts'
import { sqliteTestTarget } from './sqlite-database.ts'

/** An empty database to copy into. */
export interface CopyTestTarget {
  kind: Dialect
  /** The type of an auto-increment key that never assigns an id twice. */
  countingKey: string
  run(statement: string): Promise<unknown>
  /** Runs a query. @returns all values as text */
  rows(query: string): Promise<(string | null)[][]>
  /** Opens the target for the copy. */
  open(): Promise<Target>
}

export const copyTestTarget = (kind: Dialect): Promise<CopyTestTarget> =>
  kind === 'sqlite' ? sqliteTestTarget(inject('modules')) : postgresTestTarget(inject('modules'))
