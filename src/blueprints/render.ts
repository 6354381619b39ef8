import { join } from 'node:path'
import { type FileSystem, type Files, filesBelow } from '../system/file-system.ts'
import { hasAddOn, layersOf, type Plan } from './layers.ts'
import { withLists } from './lists.ts'
import { joinPackageJson } from './package-json.ts'
import { hasRows, withRows } from './rows.ts'
import { renderTemplate } from './template.ts'

/** `npm pack` applies or drops files with these names, so blueprints/ replaces their dot with an underscore. */
const DOTTED =
  /(?<=^|\/)_(?=(?:dockerignore|editorconfig|env\.example|git(?:attributes|hub|ignore)|node-version|npmrc|nvmrc|yarnrc\.yml)(?:\/|$))/g

/** Files that are joined from several layers. Every other path comes from one, and an add-on adds rows to documents. */
const joiners = new Map<string, (parts: readonly string[], plan: Plan) => string>([
  ['package.json', (parts, plan) => joinPackageJson(plan.values.name, parts)],
  ['.env.example', (parts) => parts.reduce(withParagraphs, '')],
])

/**
 * Renders the plan's layers.
 * @param blueprints the folder that holds the layers
 * @returns the project in memory, sorted by path
 * @throws Error if blueprints/ breaks a law: a path in two layers, a template with a forbidden tag, …
 */
export function render(fs: FileSystem, blueprints: string, plan: Plan): Files {
  const parts = new Map<string, string[]>()
  const folders = fs.readdirSync(blueprints, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const layers = layersOf(
    plan,
    folders.map(({ name }) => name),
  )
  for (const layer of layers) {
    for (const file of filesBelow(fs, join(blueprints, layer))) {
      const path = outputPath(file)
      const text = fs.readFileSync(join(blueprints, layer, file), 'utf8')
      const output = file.endsWith('.ejs') ? renderTemplate(path, text, plan) : text
      const present = parts.get(path)
      if (!present) parts.set(path, [output])
      else if (joiners.has(path) || (hasRows(path) && hasAddOn(layer))) present.push(output)
      else throw new Error(`blueprints: ${path} comes from two layers, the second is ${layer}`)
    }
  }
  const files = withLists(
    new Map(
      [...parts].map(([path, texts]) => [path, joiners.get(path)?.(texts, plan) ?? joined(path, texts)]),
    ),
  )
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Adds a part of .env.example, without settings that are there: a former profile has some of an add-on. */
function withParagraphs(text: string, part: string): string {
  const isNew = (paragraph: string) => {
    const [setting] = /^[A-Z][A-Z0-9_]*=/m.exec(paragraph) ?? []
    return setting === undefined || !`\n${text}`.includes(`\n${setting}`)
  }
  const added = part.trim().split('\n\n').filter(isNew).join('\n\n')
  return `${text}${text && '\n'}${added}\n`
}

function joined(path: string, [first = '', ...rows]: readonly string[]): string {
  return rows.reduce((document, part) => withRows(path, document, part), first)
}

/** The path of a layer's file in the project: without `.ejs`, and with the dots that blueprints/ replaces. */
export const outputPath = (file: string): string => file.replace(/\.ejs$/, '').replace(DOTTED, '.')
