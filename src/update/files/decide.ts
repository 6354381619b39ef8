import { hasRows } from '../../blueprints/rows.ts'
import { inQuotesOf, isSameExceptComments, isSameExceptLayout, layOutAs } from '../../merge/layout.ts'
import { mergeAround } from '../../merge/merge-around.ts'
import { mergeJsonText } from '../../merge/merge-json-text.ts'
import { type MergedText, mergeText } from '../../merge/merge-text.ts'
import type { Decision, Undecided } from './file.ts'

/**
 * The decision table: what an update does with one file. Never loses the owner's text: a file is replaced or deleted
 * only if its text, ignoring layout, is what was generated last time; comments are no reason to keep code that goes.
 * @param label name of the new variant, for conflict markers
 */
export function decide(file: Undecided, label: string): Decision {
  const { path, base, disk, next, dropped, restyled, isFolderDeleted } = file
  if (disk.kind === 'other') return { action: 'kept', detail: disk.what }
  if (disk.kind === 'absent') {
    if (next === undefined) return { action: 'same' }
    if (dropped === 'deleted') return { action: 'deleted' }
    if (dropped === 'edited' || base === undefined) {
      if (isFolderDeleted) return { action: 'deleted' }
      const own = restyled?.kind === 'text' ? restyled.text : next
      const { action, text = own } = decideText(file, own, label)
      return { action: action === 'conflict' ? action : 'create', text }
    }
    return { action: isSameExceptLayout(path, base, next) ? 'same' : 'deleted' }
  }
  return decideText(file, disk.text, label)
}

function decideText({ path, base, next }: Undecided, text: string, label: string): Decision {
  const isSame = (one: string, other: string) => isSameExceptLayout(path, one, other)
  if (text === next || (base === undefined && next === undefined)) return { action: 'same' }
  if (text !== base && next !== undefined && isSame(text, next)) return { action: 'same' }
  if (base !== undefined && isSame(text, base)) {
    return next === undefined
      ? { action: 'delete' }
      : { action: 'update', text: inQuotesOf(text, path, updated(path, base, text, next)) }
  }
  if (next === undefined)
    return base !== undefined && isSameExceptComments(path, text, base)
      ? { action: 'delete', detail: 'with comments of yours' }
      : { action: 'yours' }
  return base !== undefined && isSame(base, next)
    ? { action: 'edited' }
    : merged(path, base, text, next, label)
}

/** The new text, with a few changes of the layout by the owner. After a reformatting, it has the generated layout. */
function updated(path: string, base: string, disk: string, next: string): string {
  const { text, conflicts } = mergeText(base, disk, next, '')
  return conflicts === 0 && isSameExceptLayout(path, text, next) ? text : next
}

/** Lists whose order hardly matters: what the owner appended stays at the end, after what is generated there now. */
const LISTS = /(?:^|\/)(?:\.env\.example|\.git(?:ignore|attributes)|\.dockerignore)$/

function merged(path: string, base: string | undefined, disk: string, next: string, label: string): Decision {
  if (base !== undefined && LISTS.test(path) && disk.startsWith(base))
    return { action: 'merge', text: next + disk.slice(base.length) }
  const direct = mergedInLayout(path, base, disk, next, label)
  const { text, conflicts } =
    direct.conflicts > 0 && base !== undefined && hasRows(path)
      ? mergedInLayout(path, base, disk, withoutGone(base, disk, next), label)
      : direct
  if (conflicts > 0) return { action: 'conflict', text }
  return text === disk ? { action: 'edited' } : { action: 'merge', text: inQuotesOf(disk, path, text) }
}

/** A new document as it was in the sections that the owner no longer has: an add-on's row in one concerns nobody. */
function withoutGone(base: string, disk: string, next: string): string {
  const owners = new Set(disk.split('\n'))
  const before = new Map(sectionsOf(base))
  return sectionsOf(next)
    .map(([heading, text]) => (owners.has(heading) ? text : (before.get(heading) ?? text)))
    .join('')
}

/** The sections of a document with their first lines, which are headings but for that of the first one. */
const sectionsOf = (document: string) =>
  document.split(/^(?=#)/m).map((text) => [text.split('\n', 1)[0] ?? '', text] as const)

/** Merges by line, in the owner's layout if it leads to no conflict, otherwise in the generated one. */
function mergedInLayout(
  path: string,
  base: string | undefined,
  disk: string,
  next: string,
  label: string,
): MergedText {
  const byKey =
    base !== undefined && path.endsWith('.json') ? mergeJsonText(base, disk, next, label) : undefined
  const direct = byKey ?? mergeAround(path, base, disk, next, label)
  if (direct.conflicts === 0) return direct
  const laidOut = layOutAs(base ?? next, path, disk)
  if (laidOut === disk) return direct
  const again = mergeAround(path, base, laidOut, next, label)
  // Conflicts repeat text: the shorter result has less of them.
  if (again.conflicts > 0 && again.text.length >= direct.text.length) return direct
  return { ...again, text: layOutAs(disk, path, again.text) }
}
