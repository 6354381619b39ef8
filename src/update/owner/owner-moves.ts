import { basename, dirname, extname, join, relative } from 'node:path/posix'
import { tokensOf } from '../../merge/tokens.ts'
import { type Base, firstBase } from '../../project/base.ts'
import { isMigration, pathFault } from '../../project/path-rules.ts'
import { type Tree, textsAt } from '../../project/tree.ts'
import type { UpdateFile } from '../files/file.ts'
import { type Pass, runPasses, type Sides } from '../files/passes.ts'

/** How many of the parts of two files must be equal. */
const NEARLY_SAME = 0.75
/** A shorter file is only the same if all parts are: its few lines are in many files. */
const FEW_LINES = 6
const FEW_RUNS = 50

/** A missing file that the generator changed. */
const isToFollow = ({ decision, base, next }: UpdateFile): boolean =>
  decision.action === 'deleted' && base !== undefined && next !== undefined

/** A missing file, and the owner's path of it. */
interface Moved {
  readonly file: UpdateFile
  readonly path: string
  readonly likeness: number
}

/**
 * Follows files that the owner moved: if a changed file is missing, but a file of the owner has nearly its text, the
 * update is merged into that one, at its path. Its relative imports count as moved with it.
 */
export const followOwnerMoves: Pass = (files, sides) => {
  if (!files.some(isToFollow)) return files
  const all = ownerMoves(files, sides)
  const moved = all.filter(({ file }) => isToFollow(file))
  if (moved.length === 0) return files
  const homes = new Map(all.map(({ file, path }) => [file.path, path]))

  const textsOf = (side: 'base' | 'next') =>
    new Map(moved.map(({ file, path }) => [path, withImports(file.path, homes, file[side] ?? '')]))
  const there = runPasses({ ...sides, base: firstBase(textsOf('base')), next: textsOf('next') })
  const followed = there.map((file): UpdateFile => {
    const from = moved.find(({ path }) => path === file.path)?.file.path
    return { ...file, decision: { ...file.decision, detail: `moved from ${from}` } }
  })
  const left = new Set(moved.map(({ file }) => file))
  return [
    ...files.map((file): UpdateFile => (left.has(file) ? { ...file, decision: { action: 'same' } } : file)),
    ...followed,
  ]
}

/** The files that the owner moved. */
export function ownerMoves(files: readonly UpdateFile[], { tree, base }: Sides): Moved[] {
  const missing = files.filter((file) => file.disk.kind === 'absent' && file.base)
  return missing.length === 0 ? [] : movedFiles(missing, ownTexts(tree, base, files))
}

/** The texts of the files that the generator never wrote, by path. */
function ownTexts(tree: Tree, { files, dropped }: Base, decided: readonly UpdateFile[]): Map<string, string> {
  const known = new Set([...files.keys(), ...dropped.keys(), ...decided.map(({ path }) => path)])
  return textFiles(tree, (path) => !known.has(path))
}

/** The texts of the project's files that a generated file may have become, by path. */
export const textFiles = (
  tree: Tree,
  isWanted: (path: string) => boolean = () => true,
): Map<string, string> =>
  textsAt(tree, (path) => isWanted(path) && !isMigration(path) && pathFault(path) === undefined)

/** Each missing file with the file that is most like it. None if two are equally like it, or it is more like another. */
function movedFiles(missing: readonly UpdateFile[], own: ReadonlyMap<string, string>): Moved[] {
  const texts = [...own].map(([path, text]) => ({ path, parts: partsOf(path, text) }))
  const pairs = missing.flatMap((file) => {
    const parts = partsOf(file.path, file.base ?? '')
    return texts.flatMap((other): Moved[] => {
      if (extname(other.path) !== extname(file.path)) return []
      const likeness = likenessOf(parts, other.parts)
      return likeness >= NEARLY_SAME ? [{ file, path: other.path, likeness }] : []
    })
  })
  const isBest = (pair: Moved) =>
    pairs.every(
      (other) =>
        other === pair ||
        (other.file !== pair.file && other.path !== pair.path) ||
        other.likeness < pair.likeness,
    )
  return pairs.filter(isBest)
}

interface Parts {
  readonly values: ReadonlySet<string>
  readonly few: number
}

/** From 0 to 1. */
function likenessOf({ values: a, few }: Parts, { values: b }: Parts): number {
  const common = [...a].filter((part) => b.has(part)).length
  const all = Math.max(a.size, b.size)
  return all === 0 || (all < few && common < all) ? 0 : common / all
}

/** How many tokens a part has: one alone is in many files. */
const RUN = 4

/** The parts of a text, without its layout and where imports lead: runs of tokens, or lines with a word. */
function partsOf(path: string, text: string): Parts {
  const here = text.replace(RELATIVE_IMPORT, (_, before, quote, to) => before + quote + basename(to) + quote)
  const tokens = tokensOf(path, here)?.map(({ value }) => value)
  if (tokens)
    return { values: new Set(tokens.map((_, at) => tokens.slice(at, at + RUN).join(' '))), few: FEW_RUNS }
  const lines = here.split('\n').map((line) => line.trim())
  return { values: new Set(lines.filter((line) => /\w/.test(line))), few: FEW_LINES }
}

const RELATIVE_IMPORT = /(\bfrom\s+|\bimport\s+|\bimport\(\s*)(['"])(\.{1,2}\/[^'"\n]+)\2/g

/** The text of a moved file, with the relative imports that an editor changes. Its targets may have moved too. */
export function withImports(from: string, homes: ReadonlyMap<string, string>, text: string): string {
  const to = homes.get(from) ?? from
  return text.replace(RELATIVE_IMPORT, (_, before, quote, path) => {
    const imported = join(dirname(from), path)
    const target = relative(dirname(to), homes.get(imported) ?? imported)
    return `${before}${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`
  })
}

/** The text of a file that moved alone, with the relative imports of its new path. */
export const atPath = (from: string, path: string, text: string): string =>
  withImports(from, new Map([[from, path]]), text)
