import { diffIndices } from 'node-diff3'
import { isSameExceptComments } from './layout.ts'
import { type MergedText, mergeText } from './merge-text.ts'

/** Lines that replace `length` lines from `at`. */
interface Change {
  readonly at: number
  readonly length: number
  readonly lines: readonly string[]
}

/**
 * Merges by line. If that conflicts, it merges the code alone, then puts the owner's comments back where they were in it.
 * The conflict stays if the code around a comment is gone, or if more than a comment conflicts.
 */
export function mergeAround(
  path: string,
  base: string | undefined,
  disk: string,
  next: string,
  label: string,
): MergedText {
  const direct = mergeText(base, disk, next, label)
  if (direct.conflicts === 0 || base === undefined) return direct
  const own = disk.split('\n')
  const reverted = changesOf(own, base.split('\n')).filter((change) =>
    isSameExceptComments(path, disk, changed(own, [change]).join('\n')),
  )
  const bare = changed(own, reverted)
  const code = mergeText(base, bare.join('\n'), next, label)
  if (reverted.length === 0 || code.conflicts > 0) return direct
  const merged = code.text.split('\n')
  const moves = changesOf(bare, merged)
  const comments = inverse(own, reverted).flatMap((change): Change[] => {
    const at = placeOf(change, moves)
    return at === undefined ? [] : [{ ...change, at }]
  })
  const text = changed(merged, comments).join('\n')
  const isWhole = comments.length === reverted.length && isSameExceptComments(path, text, code.text)
  return isWhole ? { text, conflicts: 0 } : direct
}

const changesOf = (from: readonly string[], to: readonly string[]): Change[] =>
  diffIndices([...from], [...to]).map(({ buffer1: [at, length], buffer2Content }) => ({
    at,
    length,
    lines: buffer2Content,
  }))

function changed(lines: readonly string[], changes: readonly Change[]): string[] {
  const starts = [0, ...changes.map(({ at, length }) => at + length)]
  return starts.flatMap((start, index) => [
    ...(changes[index - 1]?.lines ?? []),
    ...lines.slice(start, changes[index]?.at),
  ])
}

/** The changes that lead back to the lines. */
function inverse(lines: readonly string[], changes: readonly Change[]): Change[] {
  let shift = 0
  return changes.map(({ at, length, lines: by }) => {
    const back = { at: at + shift, length: by.length, lines: lines.slice(at, at + length) }
    shift += by.length - length
    return back
  })
}

/** Where lines are after other changes: before what follows them, or first in what replaces that. */
function placeOf({ at, length }: Change, moves: readonly Change[]): number | undefined {
  // The header of a file stays its header.
  if (at === 0 && length === 0) return 0
  const shiftTo = (index: number) =>
    moves.reduce(
      (sum, move) => (move.at + move.length <= index ? sum + move.lines.length - move.length : sum),
      0,
    )
  const gone = moves.find((move) =>
    length > 0
      ? move.at < at + length && move.at + move.length > at
      : move.at <= at && at < move.at + move.length,
  )
  if (!gone) return at + shiftTo(at)
  const isInPlace =
    length === 0 && (at === gone.at ? gone.lines.length > 0 : gone.lines.length === gone.length)
  return isInPlace ? at + shiftTo(gone.at) : undefined
}
