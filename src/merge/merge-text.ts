import { diff3Merge, diffComm } from 'node-diff3'
import { mergeEntries, type Sides } from './entries.ts'

export interface MergedText {
  readonly text: string
  /** The number of places with markers. */
  readonly conflicts: number
}

interface Region {
  readonly ok?: readonly string[]
  readonly conflict?: Omit<Sides, 'o'>
}

/** The first and last line of a conflict. */
export const MARKER = /^(?:<{7} yours|>{7} create-authsmith: .*)$/m

/**
 * Merges three texts by line. If both sides changed the same place, the result has both versions between markers, unless
 * both only changed entries of a list.
 * @param base as generated last time; if undefined, every difference is a conflict
 * @param disk as on disk
 * @param next as generated now
 * @param label name of the new variant, for the markers: "complete B"
 */
export function mergeText(base: string | undefined, disk: string, next: string, label: string): MergedText {
  const [a, b] = [disk.split('\n'), next.split('\n')]
  const regions: Region[] =
    base === undefined
      ? diffComm(a, b).map(({ common, buffer1 = [], buffer2 = [] }) =>
          common ? { ok: common } : { conflict: { a: buffer1, b: buffer2 } },
        )
      : diff3Merge(a, base.split('\n'), b).map(({ ok, conflict }) => {
          const entries = conflict && mergeEntries(conflict)
          return ok ? { ok } : entries ? { ok: entries } : { ...(conflict && { conflict }) }
        })
  return withMarkers(regions, label)
}

/** Whether a file has conflict markers. In Markdown and plain text, a line of equals signs underlines a heading. */
export const hasMarkers = (path: string, text: string): boolean =>
  MARKER.test(text) || (!/\.(?:md|txt)$/.test(path) && /^={7}$/m.test(text))

function withMarkers(regions: readonly Region[], label: string): MergedText {
  const lines = regions.flatMap(({ ok, conflict }) => {
    if (!conflict) return ok ?? []
    const { before, a, b, after } = differingPart(conflict.a, conflict.b)
    return [...before, '<<<<<<< yours', ...a, '=======', ...b, `>>>>>>> create-authsmith: ${label}`, ...after]
  })
  return { text: lines.join('\n'), conflicts: regions.filter(({ conflict }) => conflict).length }
}

/** Splits off the lines that both sides start or end with, which do not conflict. */
function differingPart(a: readonly string[], b: readonly string[]) {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start += 1
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  return {
    before: a.slice(0, start),
    a: a.slice(start, a.length - end),
    b: b.slice(start, b.length - end),
    after: a.slice(a.length - end),
  }
}
