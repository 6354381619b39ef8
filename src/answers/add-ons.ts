import { alternatives } from '../system/printing.ts'
import { compareVersions } from '../system/version.ts'
import { type Definition, definitions, shared } from './definitions.ts'
import { type Accounts, MODES } from './variant.ts'

/** The name of an add-on: of a folder in blueprints/add-ons/. */
export type AddOn = string

/** The names of all add-ons, sorted. */
export const ADD_ON_NAMES: readonly AddOn[] = Object.keys(definitions)

/** @throws Error for a name that no add-on has */
export function definitionOf(addOn: AddOn): Definition {
  const found = Object.hasOwn(definitions, addOn) ? definitions[addOn] : undefined
  if (!found) throw new Error(`no add-on is called ${addOn}`)
  return found
}

/** Add-ons as answers store them: sorted, each once. Which was added first makes no difference. */
export const sortedAddOns = (addOns: Iterable<AddOn>): AddOn[] => [...new Set(addOns)].sort()

/** Whether a project with this mode and profile may have the add-on, or one of those that share a word. */
export function isAllowed(addOn: AddOn, accounts: Accounts): boolean {
  const users = shared[addOn]?.users
  if (users) return users.some((each) => isAllowed(each, accounts))
  const { modes, profile } = definitionOf(addOn)
  return modes.includes(accounts.mode) && (profile === undefined || profile === accounts.profile)
}

/** The add-ons that a project with this mode and profile may have. */
export const allowedAddOns = (accounts: Accounts): AddOn[] =>
  ADD_ON_NAMES.filter((addOn) => isAllowed(addOn, accounts))

/** The add-ons of a new project whose user names none. */
export const defaultAddOns = (accounts: Accounts): AddOn[] =>
  allowedAddOns(accounts).filter((addOn) => definitionOf(addOn).isDefault)

/** What an add-on needs, such as "mode basic or complete with profile B". */
export function requirementOf(addOn: AddOn): string {
  const { modes, profile } = definitionOf(addOn)
  const mode = modes.length === MODES.length ? 'any mode' : `mode ${alternatives(modes)}`
  return profile ? `${mode} with profile ${profile}` : mode
}

/** The add-ons that a project with this mode and profile may have, and that are newer than a version. */
export const addOnsSince = (version: string, accounts: Accounts): AddOn[] =>
  allowedAddOns(accounts).filter((addOn) => compareVersions(definitionOf(addOn).since, version) > 0)

/** The words of what several of the add-ons share. Among them, such a word stands for itself. */
export const sharedWords = (addOns: readonly AddOn[]): string[] =>
  Object.keys(shared).filter((word) =>
    [word, ...(shared[word]?.users ?? [])].some((each) => addOns.includes(each)),
  )

/** What brings tables to a project with these add-ons, in the order of its migrations: what they share comes first. */
export function withTables(addOns: Iterable<AddOn>): string[] {
  const all = sortedAddOns(addOns)
  return [
    ...sharedWords(all).filter((word) => shared[word]?.hasTables),
    ...all.filter((addOn) => definitions[addOn]?.hasTables),
  ]
}
