import ejs from 'ejs'
import { packageManagerCommands } from '../answers/package-managers.ts'
import { escaperFor } from './escape.ts'
import { type Plan, WORDS } from './layers.ts'

const MAX_BLOCKS = 4
const TAG = /<%[\s\S]*?%>|<%|%>/g
const VALUE_TAG = /^<%= (\w+) %>$/
const OPEN_LINE = /^<% if \((\w+)\) \{ %>$/
const CLOSE_LINE = '<% } %>'

const FLAGS = new Map([...WORDS].map((word) => [word.replaceAll('-', '_'), word]))
const VALUES = new Set(['name', 'packageManager', ...Object.keys(packageManagerCommands.npm)])

/**
 * Renders one template. It may contain only whole-line `<% if (flag) { %>` … `<% } %>`, not nested, at most four, and
 * `<%= value %>`. Control lines leave no blank line.
 * @param path the path of the output, whose format decides the escaper
 * @throws Error for any other tag, an unknown flag or value, or a value that the format does not allow
 */
export function renderTemplate(path: string, template: string, { words, values }: Plan): string {
  const flags = [...FLAGS].map(([flag, word]) => [flag, words.has(word)] as const)
  return compiled(path, template)({ ...Object.fromEntries(flags), ...values })
}

/** The compiled templates by path and text: an update renders several states of a project. */
const compiledTemplates = new Map<string, ejs.TemplateFunction>()

function compiled(path: string, template: string): ejs.TemplateFunction {
  const key = `${path}\n${template}`
  const known = compiledTemplates.get(key)
  if (known) return known
  const fault = templateFault(template)
  if (fault) throw new Error(`${path}: ${fault}`)
  const compile = ejs.compile(template.replace(/^(<% .* %>)\n/gm, '$1'), {
    escape: escaperFor(path),
    strict: true,
    // Compiles faster without line numbers for errors, and with only the names that are used. Some words are keywords.
    compileDebug: false,
    destructuredLocals: [...FLAGS.keys(), ...VALUES].filter(
      (name) => template.includes(`if (${name})`) || template.includes(`<%= ${name} %>`),
    ),
    filename: path,
  })
  compiledTemplates.set(key, compile)
  return compile
}

/** What is wrong with a template; undefined if it is valid. */
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
