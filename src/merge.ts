import { mergeJsonText } from './merge-json-text.ts'
import { type MergedText, mergeText } from './merge-text.ts'

/** A text, with line feeds only, and as the project's own formatter lays it out; the same where that is not known. */
export interface Text {
  readonly raw: string
  readonly formatted: string
}

/** What is at a path. */
export type OnDisk =
  | { readonly kind: 'absent' }
  | ({ readonly kind: 'text' } & Text)
  /** Anything that is not looked into, and why. */
  | { readonly kind: 'other'; readonly what: string }

export interface Versions {
  readonly path: string
  /** As generated last time; absent where it was not. */
  readonly base?: Text | undefined
  readonly disk: OnDisk
  /** As generated now; absent where it is not. */
  readonly next?: Text | undefined
}

/**
 * What becomes of a file:
 * - `same`: nothing to do
 * - `create`, `update`, `delete`: the owner did not touch it
 * - `merge`: both changed it, in different places; `conflict`: in the same place, or both made it
 * - `edited`: the owner changed it, the generator did not
 * - `deleted`: the owner deleted what the generator changed, and it stays so
 * - `yours`: the owner changed what is not generated any more
 * - `kept`: it cannot be looked into
 */
export type Action =
  | 'same'
  | 'create'
  | 'update'
  | 'delete'
  | 'merge'
  | 'conflict'
  | 'edited'
  | 'deleted'
  | 'yours'
  | 'kept'

export interface Decision {
  readonly path: string
  readonly action: Action
  /** What the file holds then, where that changes; absent for `delete`. */
  readonly text?: string
  /** Why it is kept. */
  readonly detail?: string
}

/**
 * The decision table: what becomes of one file. No row of it loses what the owner wrote: a file is only replaced or
 * deleted where its text is, but for layout, the one that was generated last time.
 * @param label what is generated now, for the markers of conflicts
 */
export function decide({ path, base, disk, next }: Versions, label: string): Decision {
  if (disk.kind === 'other') return { path, action: 'kept', detail: disk.what }
  if (disk.kind === 'absent') {
    if (!next) return { path, action: 'same' }
    if (!base) return { path, action: 'create', text: next.formatted }
    return { path, action: isSame(base, next) ? 'same' : 'deleted' }
  }
  if (next && isSame(disk, next)) return { path, action: 'same' }
  if (!base) return next ? merged(path, undefined, disk, next, label) : { path, action: 'same' }
  if (isSame(disk, base)) {
    return next ? { path, action: 'update', text: next.formatted } : { path, action: 'delete' }
  }
  if (!next) return { path, action: 'yours' }
  return isSame(base, next) ? { path, action: 'edited' } : merged(path, base, disk, next, label)
}

/** What differs only by the formatter's doing is the same. */
export function isSame(one: Text, other: Text): boolean {
  return one.raw === other.raw || one.formatted === other.formatted
}

function merged(path: string, base: Text | undefined, disk: Text, next: Text, label: string): Decision {
  // Where the owner does not format a file, all lines but his own are compared as they were generated.
  const layout = disk.raw === disk.formatted ? 'formatted' : 'raw'
  const { text, conflicts } = merge(path, base?.[layout], disk[layout], next[layout], label)
  if (conflicts === 0 && text === disk[layout]) return { path, action: 'edited' }
  return { path, action: conflicts > 0 ? 'conflict' : 'merge', text }
}

function merge(
  path: string,
  base: string | undefined,
  disk: string,
  next: string,
  label: string,
): MergedText {
  const byKey =
    base !== undefined && path.endsWith('.json') ? mergeJsonText(base, disk, next, label) : undefined
  return byKey ?? mergeText(base, disk, next, label)
}
