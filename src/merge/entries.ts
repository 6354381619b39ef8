import { diffIndices } from 'node-diff3'

/** A place that both sides changed: the owner's lines, those generated last time, and those generated now. */
export interface Sides {
  readonly a: readonly string[]
  readonly o: readonly string[]
  readonly b: readonly string[]
}

/** What a line of a list is: an export of an `index.ts`, a row of a table, or a line of a .env file. */
const EXPORT = /^export (?:type )?\{[^}]*\} from '([^']+)'$/
const KINDS = [EXPORT, /^\|.*\|$/, /^(?:#.*|[A-Z][A-Z0-9_]*=.*|)$/]

/**
 * Merges a place where both sides only added entries to a list, or one only removed some: an add-on and the owner may
 * both extend it. Generated entries come before the owner's, and exports stay sorted by their file.
 * @returns undefined if the place holds anything else, or if a side replaced entries
 */
export function mergeEntries({ a, o, b }: Sides): string[] | undefined {
  const lines = [...a, ...o, ...b]
  const isOf = (kind: RegExp) => lines.every((line) => kind.test(line))
  if (!KINDS.some(isOf)) return undefined
  const [mine, generated] = [changesOf(o, a), changesOf(o, b)]
  if (mine.isReplacement || generated.isReplacement) return undefined
  const merged = [...o, ''].flatMap((line, at) => [
    ...(generated.added.get(at) ?? []),
    ...(mine.added.get(at) ?? []).filter((own) => own === '' || !generated.added.get(at)?.includes(own)),
    ...(at === o.length || mine.removed.has(at) || generated.removed.has(at) ? [] : [line]),
  ])
  const fileOf = (line: string) => EXPORT.exec(line)?.[1] ?? ''
  return isOf(EXPORT) ? merged.sort((x, y) => (fileOf(x) < fileOf(y) ? -1 : 1)) : merged
}

/** What one side changed: the lines that it removed, and those that it added before each line. */
function changesOf(from: readonly string[], to: readonly string[]) {
  const changes = diffIndices([...from], [...to])
  const removed = new Set(
    changes.flatMap(({ buffer1: [start, length] }) => Array.from({ length }, (_, n) => start + n)),
  )
  const added = new Map(
    changes.map(({ buffer1: [start], buffer2Content }) => [start, buffer2Content as string[]]),
  )
  const isReplacement = removed.size > 0 && changes.some(({ buffer2Content }) => buffer2Content.length > 0)
  return { removed, added, isReplacement }
}
