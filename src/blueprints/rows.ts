/** Documents that an add-on adds rows to. */
export const hasRows = (path: string): boolean => /^(?:README|AGENTS|docs\/[\w-]+)\.md$/.test(path)

/**
 * Adds an add-on's rows to a document.
 * @param part headings of the document, each with rows of its table, its list or its map, in any number
 * @returns the document with each row below the last one of its kind under that heading
 * @throws Error for a heading or a row that has no place in the document
 */
export function withRows(path: string, document: string, part: string): string {
  const lines = document.trimEnd().split('\n')
  let heading = ''
  for (const line of part.split('\n')) {
    if (line.startsWith('#')) heading = line
    else if (line !== '') {
      const at = lastLike(lines, heading, line)
      if (at === undefined)
        throw new Error(`${path}: no place for a row of an add-on under "${heading}": ${line}`)
      lines.splice(at + 1, 0, line)
    }
  }
  return `${lines.join('\n')}\n`
}

/** The last line under the heading that starts as the row does: with `|`, `-` or an indent. */
function lastLike(lines: readonly string[], heading: string, row: string): number | undefined {
  const start = lines.indexOf(heading)
  const end = lines.findIndex((line, index) => index > start && line.startsWith('#'))
  const kind = row.slice(0, 2)
  const at = lines.slice(0, end === -1 ? undefined : end).findLastIndex((line) => line.startsWith(kind))
  return start !== -1 && at > start ? at : undefined
}
