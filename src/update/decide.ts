import type { Decision, Text, Undecided } from './file.ts'
import { mergeJsonText } from './merge-json-text.ts'
import { mergeText } from './merge-text.ts'

/**
 * The decision table: what an update does with one file. Never loses the owner's text: a file is replaced or deleted
 * only if its text, ignoring layout, is what was generated last time.
 * @param label name of the new variant, for conflict markers
 */
export function decide(file: Undecided, label: string): Decision {
  const { path, base, disk, next, dropped, isFolderDeleted } = file
  if (disk.kind === 'other') return { action: 'kept', detail: disk.what }
  if (disk.kind === 'absent') {
    if (!next) return { action: 'same' }
    if (dropped === 'deleted') return { action: 'deleted' }
    if (dropped === 'edited' || !base)
      return isFolderDeleted ? { action: 'deleted' } : { action: 'create', text: next.formatted }
    return { action: isSame(base, next) ? 'same' : 'deleted' }
  }
  if (next && isSame(disk, next)) return { action: 'same' }
  if (!base) return next ? merged(path, undefined, disk, next, label) : { action: 'same' }
  if (isSame(disk, base)) {
    return next ? { action: 'update', text: next.formatted } : { action: 'delete' }
  }
  if (!next) return { action: 'yours' }
  return isSame(base, next) ? { action: 'edited' } : merged(path, base, disk, next, label)
}

/** Whether two texts are equal, ignoring what the formatter changes. */
export function isSame(one: Text, other: Text): boolean {
  return one.text === other.text || one.formatted === other.formatted
}

function merged(path: string, base: Text | undefined, disk: Text, next: Text, label: string): Decision {
  // In a file that the owner does not format, the lines they did not write match the unformatted generated text.
  const layout = disk.text === disk.formatted ? 'formatted' : 'text'
  const texts = [disk[layout], next[layout], label] as const
  const byKey = base && path.endsWith('.json') ? mergeJsonText(base[layout], ...texts) : undefined
  const { text, conflicts } = byKey ?? mergeText(base?.[layout], ...texts)
  if (conflicts === 0 && text === disk[layout]) return { action: 'edited' }
  return { action: conflicts > 0 ? 'conflict' : 'merge', text }
}
