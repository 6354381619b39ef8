import type { Answers } from './answers.ts'
import {
  PACKAGE_MANAGERS,
  type PackageManager,
  type PackageManagerCommands,
  packageManagerCommands,
} from './package-managers.ts'

/**
 * The words of the plan, in the order of their layers. A word is the name of a folder in blueprints/, a part of
 * such a name ("basic-a+sqlite"), and a flag that a template may test ("auth-a" as `auth_a`).
 */
export const WORDS = [
  'all',
  'auth',
  'auth-a',
  'auth-b',
  'complete',
  'complete-a',
  'complete-b',
  'none',
  'basic',
  'basic-a',
  'basic-b',
  'sqlite',
  'postgres',
  ...PACKAGE_MANAGERS,
] as const
type Word = (typeof WORDS)[number]

/** What a template may insert. */
type Values = PackageManagerCommands & {
  readonly name: string
  readonly packageManager: PackageManager
}

export interface Plan {
  readonly words: ReadonlySet<Word>
  readonly values: Values
}

/** Decides which words hold for these answers. Pure: the same answers give the same plan. */
export function planOf(answers: Answers): Plan {
  const { name, mode, profile, database, packageManager } = answers
  const words = new Set<Word>(['all', database, packageManager])
  if (mode === 'none') words.add('none')
  if (mode !== 'none' && profile) {
    const side = profile === 'A' ? 'a' : 'b'
    words.add('auth').add(`auth-${side}`).add(mode).add(`${mode}-${side}`)
  }
  return { words, values: { name, packageManager, ...packageManagerCommands[packageManager] } }
}

/**
 * Those of blueprints' folders that belong to the plan, in its order: single words first, then folders that stand
 * for several words at once. A folder that is made of anything but words is an error: it would never be used.
 */
export function layersOf({ words }: Plan, folders: readonly string[]): string[] {
  const ranks = folders.map((folder) => ({ folder, ranks: folder.split('+').map(rankOf) }))
  return ranks
    .filter((layer) => layer.ranks.every((rank) => words.has(WORDS[rank] as Word)))
    .sort((a, b) => a.ranks.length - b.ranks.length || compareRanks(a.ranks, b.ranks))
    .map((layer) => layer.folder)
}

function rankOf(word: string): number {
  const rank = WORDS.indexOf(word as Word)
  if (rank < 0) throw new Error(`blueprints: "${word}" is not a word of the plan`)
  return rank
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
