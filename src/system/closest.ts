/** The word that a mistyped one probably means; undefined if none is close. */
export const closest = (typed: string, words: readonly string[]): string | undefined =>
  words.find((word) => isOneMistakeAway(typed, word))

/** Whether two words differ by one inserted, missing, replaced or swapped letter (Damerau-Levenshtein distance 1). */
function isOneMistakeAway(word: string, name: string): boolean {
  if (word === name) return false
  const typed = word.toLowerCase()
  let same = 0
  while (same < name.length && typed[same] === name[same]) same += 1
  const [a, b] = [typed.slice(same), name.slice(same)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || isSwapped
}
