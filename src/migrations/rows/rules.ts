import { hasUsers, isBasic, isComplete, isProfileB } from '../../answers/variant.ts'
import { dropIndexes } from './indexes.ts'
import { dropMailRequests, toBasic, toComplete } from './modes.ts'
import { betweenProfiles } from './profiles.ts'
import type { DataRule, Switch } from './rule.ts'

/** The changes to rows, and to indexes of earlier versions, that the code of the new state needs, in order. */
export function dataRules(input: Switch): DataRule[] {
  const { history, to, existing } = input
  const lastWithUsers = history.findLast(hasUsers)
  if (!hasUsers(to) || !lastWithUsers || !existing.hasTable('users')) return []
  const lastComplete = history.findLast(isComplete)
  return [
    ...(isProfileB(to) && !isProfileB(lastWithUsers) ? [updateTimes] : []),
    ...(isBasic(to) && isComplete(lastWithUsers) ? toBasic(input) : []),
    ...(isComplete(to) && isBasic(lastWithUsers) ? toComplete(input, lastComplete) : []),
    ...(isComplete(to) && isBasic(lastWithUsers) && lastComplete ? dropMailRequests(input) : []),
    ...(isComplete(to) && lastComplete ? betweenProfiles(input, lastComplete) : []),
    ...(isComplete(to) ? dropIndexes(input) : []),
  ]
}

const updateTimes: DataRule = {
  why: 'Profile A does not maintain updated_at.',
  sql: ['UPDATE users SET updated_at = created_at WHERE updated_at < created_at;'],
}
