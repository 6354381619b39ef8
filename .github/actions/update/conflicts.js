const CONFLICT = /^<{7} yours\r?\n([\s\S]*?)^={7}\r?\n([\s\S]*?)^>{7} create-authsmith: [^\r\n]*(?:\r?\n|$)/gm

/** Replaces each conflict of a text by the owner's side. @returns the text, and the line and both sides of each */
export function keepYours(text) {
  const conflicts = []
  let removed = 0
  const resolved = text.replace(CONFLICT, (marked, yours, theirs, at) => {
    conflicts.push({ line: linesOf(text.slice(0, at)) - removed, yours, theirs })
    removed += linesOf(marked) - linesOf(yours)
    return yours
  })
  return { text: resolved, conflicts }
}

const linesOf = (text) => text.split('\n').length

/** A comment for each conflict of a file. */
export const commentOf = ({ path, conflicts }) =>
  conflicts.map(
    ({ line, yours, theirs }) =>
      `**Conflict in \`${path}\`, line ${line}.** Your text was kept. Change it on this branch if you want the new one.\n\n` +
      `Yours:\n\n${fenced(yours)}\n\nNew:\n\n${fenced(theirs)}\n`,
  )

/** A code block that no line of the text can end. */
export function fenced(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/\r?\n$/, '')}\n${fence}`
}
