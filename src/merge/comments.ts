import { isComment, tokensOf } from './tokens.ts'

/** A text without its comments, which change nothing that runs. */
export function withoutComments(path: string, text: string): string {
  if (!CODE.test(path)) return text.replace(MARKUP.test(path) ? MARKUP_COMMENT : LINE_COMMENT, '')
  const comments = (tokensOf(path, text) ?? []).filter(isComment)
  const starts = [0, ...comments.map(({ end }) => end)]
  return starts.map((start, at) => text.slice(start, comments[at]?.start)).join('')
}

const CODE = /\.(?:[cm]?[jt]sx?|jsonc?|css)$/
const MARKUP = /\.(?:html|md|mustache)$/
const MARKUP_COMMENT = /<!--[\s\S]*?-->|\{\{![\s\S]*?\}\}/g
/** Of YAML, Dockerfile, Caddyfile and `.env`. */
const LINE_COMMENT = /(?<=^|\s)#.*/gm
