/** A fenced block of a page: commands or file content to paste, or the response to the previous block. */
export interface Block {
  /** Page and line for error messages, such as `docs/api.md:12`. */
  place: string
  language: string
  text: string
  /** The file to write, if the paragraph before the block, or before its comment, is a path in backticks. */
  file?: string
  /** Why the tests do not run it, from the comment before the block: `<!-- not run: … -->`. */
  notRun?: string
}

const FENCE = /^(`{3,})(\w*)$/
const FILE = /^`([^`]+)`$/
const NOT_RUN = /^<!-- not run: (.+) -->$/

/** The fenced blocks of a Markdown page, in order. @throws Error for a fence that is not closed or has no language */
export function blocksOf(page: string, markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  let [before, earlier] = ['', '']
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const [, fence, language] = FENCE.exec(line.trim()) ?? []
    if (fence === undefined) {
      if (line !== '') [before, earlier] = [line, before]
      continue
    }
    const place = `${page}:${index + 1}`
    const end = lines.indexOf(fence, index + 1)
    if (end < 0 || !language) throw new Error(`${place}: a block that is not closed, or has no language`)
    const notRun = NOT_RUN.exec(before)?.[1]
    const file = FILE.exec(notRun ? earlier : before)?.[1]
    const text = `${lines.slice(index + 1, end).join('\n')}\n`
    blocks.push({ place, language, text, ...(file && { file }), ...(notRun && { notRun }) })
    index = end
    before = ''
  }
  return blocks
}

/** README.md and the pages that it links, in order. */
export function pagesOf(readme: string): string[] {
  const rows = readme.match(/^\| \[.*?\) \|/gm) ?? []
  const links = rows.flatMap((row) => [...row.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)])
  return ['README.md', ...links.map(([, page = '']) => page)]
}

/**
 * Applies a diff block to a text. Unchanged lines begin with a space, and `@@` separates hunks.
 * @throws Error if the expected lines are not in the text exactly once
 */
export function applyDiff(text: string, diff: string): string {
  const hunks = diff.split(/^@@.*\n/m).map((hunk) => hunk.trimEnd().split('\n'))
  return hunks
    .reduce((lines, hunk) => {
      const side = (sign: '-' | '+') =>
        hunk.filter((line) => line.startsWith(' ') || line.startsWith(sign)).map((line) => line.slice(1))
      const before = side('-')
      const places = lines.flatMap((_, at) => (before.every((line, n) => lines[at + n] === line) ? [at] : []))
      const [place] = places
      if (place === undefined || places.length > 1)
        throw new Error(`found ${places.length} times, not once:\n${before.join('\n')}`)
      return lines.toSpliced(place, before.length, ...side('+'))
    }, text.split('\n'))
    .join('\n')
}
