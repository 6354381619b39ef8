import { diffIndices } from 'node-diff3'

/** A place that both sides changed: the owner's lines, those generated last time, and those generated now. */
export interface Sides {
  readonly a: readonly string[]
  readonly o: readonly string[]
  readonly b: readonly string[]
}

/** What a line of a list is: an export of an `index.ts`, a row of a table, or a line of a .env file. */
const EXPORT = /^export (?:type )?\{[^}]*\} from ["']([^"']+)["'];?$/
const KINDS = [EXPORT, /^\|.*\|$/, /^(?:#.*|[A-Z][A-Z0-9_]*=.*|)$/]

/**
 * Merges a place where both sides only added entries to a list, or one only removed some: an add-on and the owner may
 * both extend it. Generated entries come before the owner's, and exports stay sorted by their file, in the owner's spelling.
 * @returns undefined if the place holds anything else, or if a side replaced entries
 */
export function mergeEntries({ a, o, b }: Sides): string[] | undefined {
  const lines = [...a, ...o, ...b]
  const isOf = (kind: RegExp) => lines.every((line) => kind.test(line))
  if (!KINDS.some(isOf)) return undefined
  const key = isOf(EXPORT) ? withoutStyle : (line: string) => line
  const [mine, generated] = [changesOf(o, a, key), changesOf(o, b, key)]
  if (mine.isReplacement || generated.isReplacement) return undefined
  const owners = new Map(a.map((line) => [key(line), line]))
  const merged = [...o, ''].flatMap((line, at) => {
    const added = generated.added.get(at) ?? []
    const isNew = (own: string) => own === '' || !added.some((one) => key(one) === key(own))
    const isGone = at === o.length || mine.removed.has(at) || generated.removed.has(at)
    return [
      ...added,
      ...(mine.added.get(at) ?? []).filter(isNew),
      ...(isGone ? [] : [owners.get(key(line)) ?? line]),
    ]
  })
  const fileOf = (line: string) => EXPORT.exec(line)?.[1] ?? ''
  return isOf(EXPORT) ? merged.sort((x, y) => (fileOf(x) < fileOf(y) ? -1 : 1)) : merged
}

/** An export without what formatters choose: the kind of quotes, and the semicolon. */
const withoutStyle = (line: string): string => line.replaceAll('"', "'").replace(/;$/, '')

/** What one side changed: the lines that it removed, and those that it added before each line. */
function changesOf(from: readonly string[], to: readonly string[], key: (line: string) => string) {
  const changes = diffIndices(from.map(key), to.map(key)).map(({ buffer1, buffer2 }) => ({
    at: buffer1[0],
    length: buffer1[1],
    added: to.slice(buffer2[0], buffer2[0] + buffer2[1]),
  }))
  const removed = new Set(changes.flatMap(({ at, length }) => Array.from({ length }, (_, n) => at + n)))
  const isReplacement = removed.size > 0 && changes.some(({ added }) => added.length > 0)
  return { removed, added: new Map(changes.map(({ at, added }) => [at, added])), isReplacement }
}
