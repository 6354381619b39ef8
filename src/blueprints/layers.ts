import { ADD_ON_NAMES, type AddOn } from '../answers/add-ons.ts'
import type { Answers } from '../answers/answers.ts'
import {
  PACKAGE_MANAGERS,
  type PackageManager,
  type PackageManagerCommands,
  packageManagerCommands,
} from '../answers/package-managers.ts'
import { allVariants, PROFILES, type Profile, type Variant } from '../answers/variant.ts'
import { compareNumbers } from '../system/version.ts'

/** Words of what several add-ons share. A project has them with any of these add-ons. */
const SHARED: Readonly<Record<string, readonly AddOn[]>> = { oauth: ['gateway', 'service-clients'] }

/**
 * The words that apply to a project, in the order of their layers. A word is the name of a folder in blueprints/ or a
 * part of it ("basic-a+sqlite"), and a flag that a template may test ("auth-a" as `auth_a`). Add-ons come last.
 * @param former the former profile, if the service still accepts what it issued
 */
function wordsOf(
  { mode, profile, database }: Variant,
  packageManager: PackageManager,
  addOns: readonly AddOn[],
  former?: Profile,
): string[] {
  const side = profile?.toLowerCase()
  const accounts = side ? ['auth', `auth-${side}`, mode, `${mode}-${side}`] : [mode]
  const switched = profile && former ? ['formerly', `formerly-${former.toLowerCase()}`] : []
  const ever = profile ? PROFILES.filter((each) => each === profile || each === former) : []
  const profiles = ever.map((each) => `ever-${each.toLowerCase()}`)
  const shared = Object.keys(SHARED).filter((word) => SHARED[word]?.some((each) => addOns.includes(each)))
  return ['all', ...accounts, ...switched, ...profiles, database, packageManager, ...shared, ...addOns]
}

/** All words. */
export const WORDS: ReadonlySet<string> = new Set(
  allVariants().flatMap((variant) =>
    PACKAGE_MANAGERS.flatMap((each) =>
      PROFILES.flatMap((former) => wordsOf(variant, each, ADD_ON_NAMES, former)),
    ),
  ),
)

/** The values that a template may insert. */
type Values = PackageManagerCommands & {
  readonly name: string
  readonly packageManager: PackageManager
}

export interface Plan {
  /** In the order of their layers. */
  readonly words: ReadonlySet<string>
  readonly values: Values
}

/**
 * Decides which words apply to these answers. Pure: the same answers give the same plan.
 * @param former the former profile, if the service still accepts what it issued
 */
export function planOf(answers: Answers, former?: Profile): Plan {
  const { name, packageManager, addOns } = answers
  return {
    words: new Set(wordsOf(answers, packageManager, addOns, former)),
    values: { name, packageManager, ...packageManagerCommands[packageManager] },
  }
}

/**
 * Selects the folders of blueprints/ that belong to the plan, in its order: folders of one word first, then those of
 * several.
 * @throws Error for a folder with an unknown word, which no plan would ever use
 */
export function layersOf({ words }: Plan, folders: readonly string[]): string[] {
  const order = [...words]
  const unknown = folders.flatMap((folder) => folder.split('+')).find((word) => !WORDS.has(word))
  if (unknown !== undefined) throw new Error(`blueprints: "${unknown}" is not a word of the plan`)
  return folders
    .map((folder) => ({ folder, ranks: folder.split('+').map((word) => order.indexOf(word)) }))
    .filter(({ ranks }) => !ranks.includes(-1))
    .sort((a, b) => a.ranks.length - b.ranks.length || compareNumbers(a.ranks, b.ranks))
    .map(({ folder }) => folder)
}

/** Whether a layer belongs to an add-on. */
export const hasAddOn = (layer: string): boolean =>
  layer.split('+').some((word) => word in SHARED || (ADD_ON_NAMES as readonly string[]).includes(word))
