import {
  ADD_ON_NAMES,
  type AddOn,
  definitionOf,
  isAllowed,
  requirementOf,
  sortedAddOns,
} from '../answers/add-ons.ts'
import type { Answers } from '../answers/answers.ts'
import type { Variant } from '../answers/variant.ts'
import { closest } from '../system/closest.ts'
import { wrongUsage } from '../system/errors.ts'
import { shorten } from '../system/printing.ts'

/** The flags that add and remove add-ons, as typed: each value may be several names with commas. */
export interface AddOnFlags {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

/** @throws UserError (usage) for an unknown name */
function parseAddOns(given: readonly string[]): AddOn[] {
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim())
  return names.map((name) => {
    if (ADD_ON_NAMES.includes(name)) return name
    const begins = (each: string) => name.length > 2 && each.startsWith(name)
    const meant = closest(name, ADD_ON_NAMES) ?? ADD_ON_NAMES.find(begins)
    const fix = meant ? `Did you mean ${meant}?` : `There are: ${ADD_ON_NAMES.join(', ')}.`
    throw wrongUsage(`There is no add-on "${shorten(name)}". ${fix}`)
  })
}

/**
 * The add-ons of `--add` for a new project, where `none` stands for an empty list.
 * @throws UserError (usage) for an unknown name, and for `none` beside others
 */
export function parseNewAddOns(given: readonly string[]): AddOn[] {
  if (given.join() === 'none') return []
  if (given.some((text) => text.split(',').includes('none')))
    throw wrongUsage('`--add none` cannot be combined with other add-ons.')
  return sortedAddOns(parseAddOns(given))
}

/** @throws UserError (usage) for an add-on that the mode or profile does not allow */
export function refuseDisallowed(addOns: readonly AddOn[], variant: Variant): void {
  const refused = addOns.find((addOn) => !isAllowed(addOn, variant))
  if (!refused) return
  const present = [`mode ${variant.mode}`, ...(variant.profile ? [`profile ${variant.profile}`] : [])]
  throw wrongUsage(
    `The add-on ${refused} needs ${requirementOf(refused)}, not ${present.join(', ')}. Remove it, or choose another mode or profile.`,
  )
}

/**
 * The add-ons of a project after a switch. Those that the new mode or profile does not allow are taken out, but not
 * silently if users log in or protect themselves by them.
 * @throws UserError (usage) for an unknown name, one that is both added and removed, or one that is not allowed
 */
export function switchedAddOns(present: Answers, to: Variant, flags: AddOnFlags): AddOn[] {
  const added = parseAddOns(flags.add ?? [])
  const removed = parseAddOns(flags.remove ?? [])
  const both = added.find((addOn) => removed.includes(addOn))
  if (both) throw wrongUsage(`The add-on ${both} is both added and removed. Name it once.`)
  refuseDisallowed(added, to)
  const kept = present.addOns.filter((addOn) => !removed.includes(addOn))
  const needed = kept.filter((addOn) => !isAllowed(addOn, to) && definitionOf(addOn).isSignIn)
  if (needed[0])
    throw wrongUsage(
      `Users log in with ${needed.join(', ')}: this needs ${requirementOf(needed[0])}. To go on without, pass \`--remove ${needed.join(',')}\`.`,
    )
  return sortedAddOns([...kept.filter((addOn) => isAllowed(addOn, to)), ...added])
}

/** What the flags name and the project has already, or has not. */
export function unchangedNotes({ addOns }: Answers, flags: AddOnFlags): string[] {
  const added = parseAddOns(flags.add ?? []).filter((addOn) => addOns.includes(addOn))
  const removed = parseAddOns(flags.remove ?? []).filter((addOn) => !addOns.includes(addOn))
  return [
    ...added.map((addOn) => `${addOn} is there already: nothing to do`),
    ...removed.map((addOn) => `${addOn} is not there: nothing to do`),
  ]
}

/** A line for each add-on, for help and for errors. */
export function addOnLines(addOns: readonly AddOn[]): string[] {
  const width = Math.max(...addOns.map((addOn) => addOn.length))
  return addOns.map((addOn) => `  ${addOn.padEnd(width)}  ${definitionOf(addOn).line}`)
}
