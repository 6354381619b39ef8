import { SOURCE } from '../../merge/layout.ts'
import type { Tree } from '../../project/tree.ts'
import { isObject, type Json, memberOf, parseObject } from '../../system/json.ts'
import { decide } from '../files/decide.ts'
import type { UpdateFile } from '../files/file.ts'
import type { Pass } from '../files/passes.ts'

/**
 * Keeps the packages that package.json would lose although code that stays imports them: without them, the service
 * would not start. They are the owner's from then on.
 */
export const keepPackages: Pass = (files, { tree, label }) => {
  const manifest = files.find(({ path }) => path === 'package.json')
  if (!manifest?.base || !manifest.next || manifest.disk.kind !== 'text') return files
  const { base } = manifest
  const [last, disk, next] = [base, manifest.disk.text, manifest.next].map(packagesOf)
  const removed = [...(last ?? [])].filter((name) => disk?.has(name) && !next?.has(name))
  if (removed.length === 0) return files
  const importers = importersOf(tree, files)
  const kept = removed.flatMap((name): [string, string][] => {
    const importer = importers.get(name) ?? importers.get(typedBy(name))
    return importer === undefined ? [] : [[name, importer]]
  })
  if (kept.length === 0) return files
  const without = (text: string) => withoutPackages(text, new Set(kept.map(([name]) => name)))
  // To the merge, a package that was never generated is one that the owner added.
  const decision = decide({ ...manifest, base: without(base) }, label)
  const notes = kept.map(([name, importer]) => `package.json keeps ${name}, because ${importer} imports it`)
  return files.map((file) => (file === manifest ? { ...file, decision, notes } : file))
}

const SECTIONS = ['dependencies', 'devDependencies']

const packagesOf = (text: string): Set<string> => {
  const manifest = parseObject(text)
  return new Set(
    SECTIONS.flatMap((section) => {
      const packages = memberOf(manifest, section)
      return isObject(packages) ? Object.keys(packages) : []
    }),
  )
}

/** The package whose types another one has: `@types/a__b` are those of `@a/b`. */
const typedBy = (name: string): string => name.replace(/^@types\/(.+)__/, '@$1/').replace(/^@types\//, '')

const IMPORT = /\b(?:from|import|require)\b\s*\(?\s*(['"])((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^'"\n]*)?\1/g

/** The packages that source files import after the update, and a file that imports each. */
function importersOf(tree: Tree, files: readonly UpdateFile[]): Map<string, string> {
  const decisions = new Map(files.map(({ path, decision }) => [path, decision]))
  const importers = new Map<string, string>()
  for (const path of tree.paths.filter((file) => SOURCE.test(file))) {
    const decision = decisions.get(path)
    const text = decision?.action === 'delete' ? undefined : (decision?.text ?? tree.text(path))
    for (const [, , name = ''] of text?.matchAll(IMPORT) ?? [])
      if (!importers.has(name)) importers.set(name, path)
  }
  return importers
}

function withoutPackages(text: string, names: ReadonlySet<string>): string {
  const manifest = parseObject(text)
  if (!manifest) return text
  const rest = Object.entries(manifest).map(([key, value]): [string, Json] =>
    SECTIONS.includes(key) && isObject(value)
      ? [key, Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)))]
      : [key, value],
  )
  return `${JSON.stringify(Object.fromEntries(rest), null, 2)}\n`
}
