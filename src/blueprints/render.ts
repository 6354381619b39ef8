import { join } from 'node:path'
import { type FileSystem, type Files, filesBelow } from '../system/file-system.ts'
import { hasAddOn, isPair, layersBelow, layersOf, type Plan } from './layers.ts'
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

/** A file of a layer. */
interface Source {
  /** Its path in blueprints/. */
  readonly from: string
  readonly layer: string
}

/**
 * What the files of a project come from, by their path there: one file, or several that are joined.
 * @throws Error for a path in two layers that is not joined
 */
export function sourcesOf(fs: FileSystem, blueprints: string, plan: Plan): Map<string, Source[]> {
  const sources = new Map<string, Source[]>()
  for (const layer of layersOf(plan, layersBelow(fs, blueprints))) {
    for (const file of filesBelow(fs, join(blueprints, layer))) {
      const path = outputPath(file)
      const source = { from: `${layer}/${file}`, layer }
      const present = sources.get(path)
      if (!present) sources.set(path, [source])
      else if (joiners.has(path) || (hasRows(path) && hasAddOn(layer))) present.push(source)
      // What two add-ons have together takes the place of what one of them has alone.
      else if (isPair(layer)) sources.set(path, [source])
      else throw new Error(`blueprints: ${path} comes from two layers, the second is ${layer}`)
    }
  }
  return sources
}

/**
 * Renders the plan's layers.
 * @param blueprints the folder that holds the layers
 * @returns the project in memory, sorted by path
 * @throws Error if blueprints/ breaks a law: a path in two layers, a template with a forbidden tag, …
 */
export function render(fs: FileSystem, blueprints: string, plan: Plan): Files {
  const files = [...sourcesOf(fs, blueprints, plan)].map(([path, sources]): [string, string] => {
    const texts = sources.map(({ from }) => {
      const text = fs.readFileSync(join(blueprints, from), 'utf8')
      return from.endsWith('.ejs') ? renderTemplate(path, text, plan) : text
    })
    return [path, joiners.get(path)?.(texts, plan) ?? joined(path, texts)]
  })
  return new Map([...withLists(new Map(files))].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Adds a part of .env.example. */
const withParagraphs = (text: string, part: string): string => `${text}${text && '\n'}${part.trim()}\n`

const joined = (path: string, [first = '', ...rows]: readonly string[]): string =>
  rows.reduce((document, part) => withRows(path, document, part), first)

/** The path of a layer's file in the project: without `.ejs`, and with the dots that blueprints/ replaces. */
export const outputPath = (file: string): string => file.replace(/\.ejs$/, '').replace(DOTTED, '.')
