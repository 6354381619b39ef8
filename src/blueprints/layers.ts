import { join } from 'node:path'
import { ADD_ON_NAMES, type AddOn, sharedWords } from '../answers/add-ons.ts'
import type { Answers } from '../answers/answers.ts'
import { PACKAGE_MANAGERS, type PackageManager, packageManagerCommands } from '../answers/package-managers.ts'
import { allVariants, type Variant } from '../answers/variant.ts'
import { COMMAND } from '../system/command.ts'
import { type FileSystem, foldersIn } from '../system/file-system.ts'
import { compareNumbers } from '../system/version.ts'

/**
 * The words that apply to a project, in the order of their layers. A word is a part of a layer's path, and a flag that a
 * template may test ("auth-a" as `auth_a`). Add-ons come last.
 */
function wordsOf(
  { mode, profile, database }: Variant,
  packageManager: PackageManager,
  addOns: readonly AddOn[],
): string[] {
  const side = profile?.toLowerCase()
  const accounts = side ? ['auth', `auth-${side}`, mode, `${mode}-${side}`] : [mode]
  // A migration of what several share is made before any of them is there.
  return ['all', ...accounts, database, packageManager, ...new Set([...sharedWords(addOns), ...addOns])]
}

/** What a word with `with-` may name. */
const OTHERS: readonly string[] = [...ADD_ON_NAMES, ...sharedWords(ADD_ON_NAMES)]

export const WORDS: ReadonlySet<string> = new Set(
  allVariants().flatMap((variant) =>
    PACKAGE_MANAGERS.flatMap((each) => wordsOf(variant, each, ADD_ON_NAMES)),
  ),
)

/** The values that a template may insert. */
type Values = (typeof packageManagerCommands)[PackageManager] & {
  readonly name: string
  readonly packageManager: PackageManager
  /** Runs this generator. */
  readonly command: string
}

export interface Plan {
  /** In the order of their layers. */
  readonly words: ReadonlySet<string>
  readonly values: Values
}

/** Decides which words apply to these answers. Pure: the same answers give the same plan. */
export function planOf(answers: Answers): Plan {
  const { name, packageManager, addOns } = answers
  return {
    words: new Set(wordsOf(answers, packageManager, addOns)),
    values: { name, packageManager, command: COMMAND, ...packageManagerCommands[packageManager] },
  }
}

/** Whether a layer belongs to an add-on, or to what several share. */
export const hasAddOn = (layer: string): boolean => layer.startsWith('add-ons/')

/** Whether a layer is for two add-ons. */
export const isPair = (layer: string): boolean => hasAddOn(layer) && /[/+]with-[^/]*$/.test(layer)

/** The layers below a folder, by path: core/<words>, add-ons/<add-on>/<words> and add-ons/_shared/<word>/<words>. */
export function layersBelow(fs: FileSystem, root: string): string[] {
  const inside = (path: string): string[] =>
    fs.existsSync(join(root, path)) ? foldersIn(fs, join(root, path)).map((name) => `${path}/${name}`) : []
  const addOns = inside('add-ons').flatMap((path) => (path.endsWith('/_shared') ? inside(path) : [path]))
  return ['core', ...addOns].flatMap(inside)
}

/**
 * The words of a layer: those of its folder, in which `with-` precedes another add-on or what several share, and its
 * add-on.
 * @throws Error for a word that no plan has, and for a pair of add-ons in the folder of the second
 */
export function wordsOfLayer(layer: string): string[] {
  const [room = '', ...path] = layer.split('/')
  const own = hasAddOn(layer) ? (path.at(-2) ?? '') : undefined
  const words = (path.at(-1) ?? room).split('+').map((part) => {
    const other = /^with-(.*)/.exec(part)?.[1]
    const isKnown =
      other === undefined
        ? WORDS.has(part) && !ADD_ON_NAMES.includes(part)
        : own !== undefined && own < other && OTHERS.includes(other)
    if (!isKnown) throw new Error(`blueprints/${layer}: "${part}" is not a word of the plan`)
    return other ?? part
  })
  return own === undefined ? words : [...words.filter((word) => word !== 'all'), own]
}

/**
 * Selects the layers that belong to the plan, in its order: those of one word first, then those of several.
 * @throws Error for a layer with an unknown word, which no plan would ever use
 */
export function layersOf({ words }: Plan, layers: readonly string[]): string[] {
  const order = [...words]
  const ranksOf = (layer: string) =>
    wordsOfLayer(layer)
      .map((word) => order.indexOf(word))
      .sort((a, b) => a - b)
  return layers
    .map((layer) => ({ layer, ranks: ranksOf(layer) }))
    .filter(({ ranks }) => !ranks.includes(-1))
    .sort((a, b) => a.ranks.length - b.ranks.length || compareNumbers(a.ranks, b.ranks))
    .map(({ layer }) => layer)
}
