import { carry } from './carry.ts'
import { comeBack, park } from './parking.ts'
import type { Physical } from './physical.ts'
import type { Dialect } from './sql-tokens.ts'
import { isBasic, isComplete, isProfileB, type State } from './state.ts'

/** A step of a migration that moves or mends rows. */
export interface DataRule {
  /** One line for whoever reads the migration; of a security rule, the attack that it stops. */
  readonly why: string
  readonly sql: readonly string[]
}

export type ExistingUsers = 'unverified' | 'verified'

export interface Switch {
  readonly dialect: Dialect
  /** The states that the project has gone through, the present one last. */
  readonly history: readonly State[]
  readonly to: State
  readonly existingUsers: ExistingUsers
  /** What the database holds once it has the tables of the new state. */
  readonly physical: Physical
}

/** What has to happen to the rows, so that the code of the new state finds them as it would have written them. */
export function dataRules(step: Switch): DataRule[] {
  const { history, to, physical } = step
  const lastWithUsers = history.findLast((state) => state !== 'none')
  if (to === 'none' || !lastWithUsers || !physical.hasTable('users')) return []
  const lastComplete = history.findLast(isComplete)
  return [
    ...(isProfileB(to) && !isProfileB(lastWithUsers) ? [updateTimes] : []),
    ...(isBasic(to) && isComplete(lastWithUsers) ? park(step) : []),
    ...(isComplete(to) && isBasic(lastWithUsers) ? comeBack(step, lastComplete) : []),
    ...(isComplete(to) && lastComplete ? carry(step, lastComplete) : []),
  ]
}

const updateTimes: DataRule = {
  why: 'Profile A keeps no updated_at.',
  sql: ['UPDATE users SET updated_at = created_at WHERE updated_at < created_at;'],
}
