import { join } from 'node:path'
import type { FileSystem } from './file-system.ts'
import { joinPackageJson } from './package-json.ts'
import { layersOf, type Plan } from './plan.ts'
import { renderTemplate } from './template.ts'

/** A project in memory: the text of each file by its path, with `/` between segments, sorted by path. */
export type Rendered = ReadonlyMap<string, string>

/** `npm pack` applies or drops files of these names, so that blueprints/ spells their dot as an underscore. */
const DOTTED = new Set([
  '_dockerignore',
  '_editorconfig',
  '_env.example',
  '_gitattributes',
  '_github',
  '_gitignore',
  '_node-version',
  '_npmrc',
  '_nvmrc',
  '_yarnrc.yml',
])

/** The files that several layers may hold: each adds its part. Every other path comes from exactly one layer. */
const joiners = new Map<string, (parts: readonly string[], plan: Plan) => string>([
  ['package.json', (parts, plan) => joinPackageJson(plan.values.name, parts)],
  ['README.md', joinText],
  ['.env.example', joinText],
])

/**
 * Renders the plan's layers.
 * @param blueprints the folder that holds the layers
 * @throws Error where blueprints break a law: a path in two layers, a template with a forbidden tag, …
 */
export function render(fs: FileSystem, blueprints: string, plan: Plan): Rendered {
  const parts = new Map<string, string[]>()
  const folders = fs.readdirSync(blueprints, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const layer of layersOf(
    plan,
    folders.map((folder) => folder.name),
  )) {
    for (const file of filesBelow(fs, join(blueprints, layer))) {
      const path = outputPath(file)
      const text = fs.readFileSync(join(blueprints, layer, file), 'utf8')
      const output = file.endsWith('.ejs') ? renderTemplate(path, text, plan) : text
      const present = parts.get(path)
      if (!present) parts.set(path, [output])
      else if (joiners.has(path)) present.push(output)
      else throw new Error(`blueprints: ${path} comes from two layers, the second is ${layer}`)
    }
  }
  return new Map(
    [...parts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, texts]) => [path, joiners.get(path)?.(texts, plan) ?? texts.join('')]),
  )
}

/** Where a file of a layer goes: without `.ejs`, and with the dots that `npm pack` would not let through. */
export function outputPath(file: string): string {
  return file
    .replace(/\.ejs$/, '')
    .split('/')
    .map((segment) => (DOTTED.has(segment) ? `.${segment.slice(1)}` : segment))
    .join('/')
}

/** Each part ends with one line break; one blank line stands between two parts. */
function joinText(parts: readonly string[]): string {
  return parts.map((part) => `${part.trim()}\n`).join('\n')
}

/** The paths of all files below `folder`, relative to it, with `/` between segments. */
export function filesBelow(fs: FileSystem, folder: string, prefix = ''): string[] {
  return fs.readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = `${prefix}${entry.name}`
    return entry.isDirectory() ? filesBelow(fs, folder, `${path}/`) : [path]
  })
}
