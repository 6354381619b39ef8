import { FLAGS, VALUES } from '../../src/blueprints/template.ts'

const MAX_BLOCKS = 4
const TAG = /<%[\s\S]*?%>|<%|%>/g
const VALUE_TAG = /^<%= (\w+) %>$/
const OPEN_LINE = /^<% if \((\w+)\) \{ %>$/
const CLOSE_LINE = '<% } %>'

/**
 * What is wrong with a template; undefined if it is valid. It may contain only whole-line `<% if (flag) { %>` … `<% } %>`,
 * not nested, at most four, and `<%= value %>`.
 */
export function templateFault(template: string): string | undefined {
  let blocks = 0
  let open = false
  for (const line of template.split('\n')) {
    const flag = OPEN_LINE.exec(line)?.[1]
    if (flag !== undefined) {
      if (open) return `nested: ${line}`
      if (!FLAGS.has(flag)) return `unknown flag: ${flag}`
      open = true
      blocks += 1
    } else if (line === CLOSE_LINE) {
      if (!open) return `closes nothing: ${line}`
      open = false
    } else {
      const fault = line.match(TAG)?.map(tagFault).find(Boolean)
      if (fault) return fault
    }
  }
  if (open) return 'a block is not closed'
  if (blocks > MAX_BLOCKS) return `${blocks} blocks; at most ${MAX_BLOCKS} are allowed`
  return undefined
}

function tagFault(tag: string): string | undefined {
  const value = VALUE_TAG.exec(tag)?.[1]
  if (value === undefined) return `not allowed in a template: ${tag}`
  return VALUES.has(value) ? undefined : `unknown value: ${value}`
}
