import ejs from 'ejs'
import { escaperFor } from './escape.ts'
import { type Plan, WORDS } from './plan.ts'

const MAX_BLOCKS = 4
const TAG = /<%[\s\S]*?%>|<%|%>/g
const VALUE_TAG = /^<%= [A-Za-z]+ %>$/
const OPEN_LINE = /^<% if \([a-z_]+\) \{ %>$/
const CLOSE_LINE = '<% } %>'

/**
 * Renders one template. It may hold only whole-line `<% if (flag) { %>` … `<% } %>`, not nested, at most four,
 * and `<%= value %>`; control lines leave no line behind.
 * @param path where the output goes: its format chooses the escaper
 * @throws Error for any other tag, an unknown flag or value, or a value that its format cannot hold
 */
export function renderTemplate(path: string, template: string, plan: Plan): string {
  const fault = templateFault(template)
  if (fault) throw new Error(`${path}: ${fault}`)
  const locals = { ...flagsOf(plan), ...plan.values }
  const body = template.replace(/^(<% .* %>)\n/gm, '$1')
  return ejs.render(body, locals, {
    escape: escaperFor(path),
    strict: true,
    destructuredLocals: Object.keys(locals),
    filename: path,
  })
}

/** What breaks the rules for templates; undefined where nothing does. */
export function templateFault(template: string): string | undefined {
  let blocks = 0
  let open = false
  for (const line of template.split('\n')) {
    if (OPEN_LINE.test(line)) {
      if (open) return `nested: ${line}`
      open = true
      blocks += 1
    } else if (line === CLOSE_LINE) {
      if (!open) return `closes nothing: ${line}`
      open = false
    } else {
      const tag = line.match(TAG)?.find((tag) => !VALUE_TAG.test(tag))
      if (tag) return `not allowed in a template: ${tag}`
    }
  }
  if (open) return 'a block is not closed'
  if (blocks > MAX_BLOCKS) return `${blocks} blocks; at most ${MAX_BLOCKS} are allowed`
  return undefined
}

function flagsOf({ words }: Plan): Record<string, boolean> {
  return Object.fromEntries(WORDS.map((word) => [word.replaceAll('-', '_'), words.has(word)]))
}
