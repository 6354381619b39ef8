import { hasUsers, isBasic, isComplete, isProfileB, type State } from '../../answers/variant.ts'
import { dropMailRequests, endBasic, keptColumns, toBasic, toComplete } from './modes.ts'
import { endIssued, raiseIds } from './profiles.ts'
import { largeRule, type Rule, type Switch } from './rule.ts'

/** The changes to tables of earlier states that the code of the new state needs. */
export function tableRules(input: Switch): Rule[] {
  const lastWithUsers = lastUsers(input)
  return isBasic(input.to) && isComplete(lastWithUsers) ? keptColumns(input) : []
}

/** The changes to rows that the code of the new state needs, in order. */
export function rowRules(input: Switch): Rule[] {
  const { history, to } = input
  const lastWithUsers = lastUsers(input)
  if (!lastWithUsers) return []
  const lastComplete = history.findLast(isComplete)
  const hasOtherProfile = (state: State) => isProfileB(state) !== isProfileB(to)
  const entersComplete = isComplete(to) && isBasic(lastWithUsers)
  return [
    ...(isProfileB(to) && !isProfileB(lastWithUsers) ? [updateTimes] : []),
    ...(isBasic(to) && isComplete(lastWithUsers) ? toBasic(input) : []),
    ...(entersComplete ? [...toComplete(input, lastComplete), dropMailRequests] : []),
    ...(hasOtherProfile(lastWithUsers) ? endIssued(input, lastWithUsers) : []),
    ...(isComplete(to) && lastComplete && hasOtherProfile(lastComplete) ? raiseIds(input) : []),
    ...(entersComplete && lastComplete ? endBasic(input) : []),
  ]
}

/** The last state with users, if the new one uses theirs. */
const lastUsers = ({ history, to, existing }: Switch): State | undefined =>
  hasUsers(to) && existing.hasTable('users') ? history.findLast(hasUsers) : undefined

const updateTimes = largeRule(
  'Profile A does not maintain updated_at.',
  'UPDATE users SET updated_at = created_at WHERE updated_at < created_at;',
)
