import { basename, dirname, extname, join, relative } from 'node:path/posix'
import { isSameExceptLayout, SOURCE } from '../../merge/layout.ts'
import { tokensOf } from '../../merge/tokens.ts'
import type { Base } from '../../project/base.ts'
import { isMigration, pathFault } from '../../project/path-rules.ts'
import { type Tree, textsAt } from '../../project/tree.ts'
import type { Files } from '../../system/file-system.ts'
import type { UpdateFile } from '../files/file.ts'

/** How many of the parts of two files must be equal. */
const NEARLY_SAME = 0.75
/** A shorter file is only the same if all parts are: its few lines are in many files. */
const FEW_LINES = 6
const FEW_RUNS = 50

/** A missing file, and the owner's path of it. */
interface Moved {
  readonly from: string
  readonly path: string
  readonly likeness: number
}

/** The owner's path of a generated file: that of the file, or in the nearest folder that they moved. */
export function homeIn(moves: Files, path: string): string {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const to = moves.get(path.slice(0, end))
    if (to !== undefined) return to + path.slice(end)
  }
  return path
}

/**
 * What the owner moved. A file has nearly its generated text. A folder has none of its generated files any more, and most
 * of those that are found are below one other folder: new files go there too.
 */
export function movesOf(tree: Tree, { files, dropped, moves }: Base, next: Files): Files {
  const isAbsent = (path: string) => tree.file(path).kind === 'absent'
  const paths = [...files.keys()].filter((path) => !isMigration(path))
  const missing = paths.filter(isAbsent)
  const isBack = (from: string) => tree.paths.some((path) => `${path}/`.startsWith(`${from}/`))
  const before = new Map([...moves].filter(([from]) => !isBack(from)))
  if (missing.length === 0) return before
  const homes = new Map(missing.map((path) => [path, homeIn(before, path)]))
  const known = new Set([...files.keys(), ...dropped.keys(), ...next.keys(), ...homes.values()])
  const lost = missing.filter((path) => isAbsent(homes.get(path) ?? path))
  const own = textFiles(tree, (path) => !known.has(path))
  for (const path of lost) homes.delete(path)
  for (const { from, path } of movedFiles(lost, files, own)) homes.set(from, path)
  const present = paths.filter((path) => !isAbsent(path))
  const all = new Map([...before, ...movedFolders(homes, present), ...homes])
  const isImplied = (from: string, to: string) => to === `${homeIn(all, dirname(from))}/${basename(from)}`
  return new Map([...all].filter(([from, to]) => from !== to && !isImplied(from, to)))
}

function movedFolders(homes: Files, present: readonly string[]): [string, string][] {
  const found = new Map<string, string[]>()
  for (let [from, to] of homes)
    while (basename(from) === basename(to) && from.includes('/') && to.includes('/')) {
      from = dirname(from)
      to = dirname(to)
      found.set(from, [...(found.get(from) ?? []), to])
    }
  return [...found].flatMap(([from, all]): [string, string][] => {
    const to = all.find((one) => all.filter((other) => other === one).length > all.length / 2)
    const isLeft = present.some((path) => path.startsWith(`${from}/`))
    return to === undefined || isLeft ? [] : [[from, to]]
  })
}

/**
 * The base and the new files as the owner has them: at their paths, with imports that lead there. An import that the owner
 * left as it was counts as such.
 * @returns also the generated path of each that has another one
 */
export function atHome(tree: Tree, base: Base, next: Files, moves: Files) {
  const generated = new Set([...base.files.keys(), ...base.dropped.keys(), ...next.keys()])
  const origins = new Map<string, string>()
  for (const path of generated) {
    const home = homeIn(moves, path)
    if (!isMigration(path) && !generated.has(home) && !origins.has(home)) origins.set(home, path)
  }
  if (origins.size === 0) return { base, next, origins }
  const homes = new Map([...origins].map(([home, path]) => [path, home]))
  const homeOf = (path: string) => homes.get(path) ?? path
  const there = (path: string, text: string) => withImports(path, homes, text)
  const isLeft = ([path, text]: [string, string]) =>
    there(path, text) !== text && isSameExceptLayout(path, tree.text(homeOf(path)) ?? '', text)
  const left = new Map([...base.files].filter(isLeft))
  const moved = <Text extends string | null>(files: ReadonlyMap<string, Text>, isBase = false) =>
    new Map(
      [...files].map(([path, text]) => {
        const isAsIs = text === null || (left.has(path) && (isBase || text === left.get(path)))
        return [homeOf(path), isAsIs ? text : (there(path, text) as Text)] as const
      }),
    )
  const restyled = new Map([...base.restyled].map(([path, text]) => [homeOf(path), text]))
  const files = moved(base.files, true)
  return { base: { ...base, files, dropped: moved(base.dropped), restyled }, next: moved(next), origins }
}

/** Says where a file that the owner moved was generated. */
export const withOrigin = (file: UpdateFile, origin: string | undefined): UpdateFile =>
  origin && file.base !== undefined && /^(?:update|merge|conflict)$/.test(file.decision.action)
    ? { ...file, decision: { detail: `moved from ${origin}`, ...file.decision } }
    : file

/** The texts of the project's files that a generated file may have become, by path. */
export const textFiles = (
  tree: Tree,
  isWanted: (path: string) => boolean = () => true,
): Map<string, string> =>
  textsAt(tree, (path) => isWanted(path) && !isMigration(path) && pathFault(path) === undefined)

/** Each missing file with the file that is most like it. None if two are equally like it, or it is more like another. */
function movedFiles(missing: readonly string[], base: Files, own: Files): Moved[] {
  if (missing.length === 0) return []
  const texts = [...own].map(([path, text]) => ({ path, parts: partsOf(path, text) }))
  const pairs = missing.flatMap((from) => {
    const parts = partsOf(from, base.get(from) ?? '')
    return texts.flatMap((other): Moved[] => {
      if (extname(other.path) !== extname(from)) return []
      const likeness = likenessOf(parts, other.parts)
      return likeness >= NEARLY_SAME ? [{ from, path: other.path, likeness }] : []
    })
  })
  const isBest = (pair: Moved) =>
    pairs.every(
      (other) =>
        other === pair ||
        (other.from !== pair.from && other.path !== pair.path) ||
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
  const all = Math.max(a.size, b.size)
  // Most pairs are of different sizes, and there can be many.
  if (Math.min(a.size, b.size) < all * NEARLY_SAME) return 0
  const common = [...a].filter((part) => b.has(part)).length
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
export function withImports(from: string, homes: Files, text: string): string {
  const to = homes.get(from) ?? from
  // The examples of a document stand for files elsewhere.
  if (!SOURCE.test(from)) return text
  return text.replace(RELATIVE_IMPORT, (_, before, quote, path) => {
    const imported = join(dirname(from), path)
    const target = relative(dirname(to), homes.get(imported) ?? imported)
    return `${before}${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`
  })
}

/** The text of a file that moved alone, with the relative imports of its new path. */
export const atPath = (from: string, path: string, text: string): string =>
  withImports(from, new Map([[from, path]]), text)
