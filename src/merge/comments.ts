import { isComment, tokensOf } from './tokens.ts'

/** A text without its comments, which change nothing that runs. */
export function withoutComments(path: string, text: string): string {
  if (!CODE.test(path)) return text.replace(MARKUP.test(path) ? MARKUP_COMMENT : LINE_COMMENT, '')
  const comments = (tokensOf(path, text) ?? []).filter(isComment)
  const starts = [0, ...comments.map(({ end }) => end)]
  return starts.map((start, at) => text.slice(start, comments[at]?.start)).join('')
}

/** A text without what is surely a comment. What only looks like one, in a heading or a string, stays. */
export function codeOf(path: string, text: string): string {
  if (CODE.test(path)) return withoutComments(path, text)
  if (HASHED.test(path)) return text.replace(/^[ \t]*(?:#(?!!).*)?(?:\n|$)/gm, '')
  return /\.(?:html|mustache)$/.test(path) ? text.replace(PAGE_COMMENT, '') : text
}

/** The files in which a line that starts with `#` is a comment. */
const HASHED = /\.(?:ya?ml|toml|sh|conf)$|(?:^|\/)(?:Dockerfile|Caddyfile|\.[^/]+)$/
/** Outlook reads what is in the comments `<!--[if …`. */
const IN_PAGE = '(?:<!--(?!\\[|<)[\\s\\S]*?-->|\\{\\{![\\s\\S]*?\\}\\})'
const PAGE_COMMENT = new RegExp(`^[ \\t]*${IN_PAGE}[ \\t]*\\n|${IN_PAGE}`, 'gm')
const CODE = /\.(?:[cm]?[jt]sx?|jsonc?|css)$/
const MARKUP = /\.(?:html|md|mustache)$/
const MARKUP_COMMENT = /<!--[\s\S]*?-->|\{\{![\s\S]*?\}\}/g
/** Of YAML, Dockerfile, Caddyfile and `.env`. */
const LINE_COMMENT = /(?<=^|\s)#.*/gm
