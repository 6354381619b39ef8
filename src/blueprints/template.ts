import ejs from 'ejs'
import { packageManagerCommands } from '../answers/package-managers.ts'
import { escaperFor } from './escape.ts'
import { type Plan, WORDS } from './layers.ts'

/** The flags that a template may test, with their words, and the values that it may insert. */
export const FLAGS = new Map([...WORDS].map((word) => [word.replaceAll('-', '_'), word]))
export const VALUES = new Set([
  'name',
  'packageManager',
  'command',
  ...Object.keys(packageManagerCommands.npm),
])

/**
 * Renders one template, of which a law says what it may contain. Control lines leave no blank line.
 * @param path the path of the output, whose format decides the escaper
 * @throws Error for an unknown flag or value, or a value that the format does not allow
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
