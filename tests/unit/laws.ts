import { join } from 'node:path'
import { type Answers, DATABASES, MODES, PROFILES } from '../../src/answers.ts'
import type { FileSystem } from '../../src/file-system.ts'
import { PACKAGE_MANAGERS } from '../../src/package-managers.ts'
import { planOf } from '../../src/plan.ts'
import { filesBelow, outputPath, render } from '../../src/render.ts'
import { templateFault } from '../../src/template.ts'

interface BlueprintFile {
  readonly layer: string
  readonly file: string
  readonly text: string
}

/** Every variant of the specification, built or not yet. */
export function allVariants(): Answers[] {
  return DATABASES.flatMap((database) =>
    PACKAGE_MANAGERS.flatMap((packageManager) => {
      const base = { name: 'my-api', database, packageManager }
      const withAccounts = MODES.filter((mode) => mode !== 'none').flatMap((mode) =>
        PROFILES.map((profile) => ({ ...base, mode, profile })),
      )
      return [{ ...base, mode: 'none' as const }, ...withAccounts]
    }),
  )
}

/** Law 1: a file exists because of its layer. A template that can come out empty would decide that itself. */
export function existenceFaults(fs: FileSystem, root: string): string[] {
  return templates(fs, root)
    .filter(({ text }) => text.replace(/^<% if [^\n]*\n[\s\S]*?\n<% \} %>$/gm, '').trim() === '')
    .map(
      ({ layer, file }) =>
        `${layer}/${file} holds nothing outside its blocks: make it a file of another layer`,
    )
}

/** Law 2: in any variant a path comes from one layer, the joined files aside. */
export function sourceFaults(fs: FileSystem, root: string): string[] {
  const faults = allVariants().flatMap((answers) => {
    try {
      render(fs, root, planOf(answers))
      return []
    } catch (error) {
      return [(error as Error).message]
    }
  })
  return [...new Set(faults)]
}

/** Law 3: only .ejs is a template, of whole-line blocks and escaped values; every other file is what it seems. */
export function templateFaults(fs: FileSystem, root: string): string[] {
  const faulty = templates(fs, root).map(({ layer, file, text }) => ({
    layer,
    file,
    fault: templateFault(text),
  }))
  const stray = blueprintFiles(fs, root)
    .filter(({ file, text }) => !file.endsWith('.ejs') && text.includes('<%'))
    .map(({ layer, file }) => ({ layer, file, fault: 'a tag in a file that is not rendered' }))
  const idle = templates(fs, root)
    .filter(({ text }) => !text.includes('<%'))
    .map(({ layer, file }) => ({ layer, file, fault: 'a template without a tag' }))
  return [...faulty, ...stray, ...idle]
    .filter(({ fault }) => fault !== undefined)
    .map(({ layer, file, fault }) => `${layer}/${file}: ${fault}`)
}

/**
 * Law 4: layers that hold the same path are twins: code that is written once cannot tell them apart. Mode none's module
 * may lack what only the layers of accounts ask of its counterpart.
 */
export function twinFaults(fs: FileSystem, root: string): string[] {
  const modules = blueprintFiles(fs, root)
    .filter(({ file }) => /\.ts(\.ejs)?$/.test(file))
    .map(({ layer, file, text }) => ({ layer, path: outputPath(file), names: exportsOf(text) }))
  return modules.flatMap((one, index) =>
    modules
      .slice(index + 1)
      .filter((other) => other.path === one.path && !areTwins(one, other))
      .map(
        (other) => `${one.path}: ${one.layer} exports ${one.names}; ${other.layer} exports ${other.names}`,
      ),
  )
}

interface Module {
  readonly layer: string
  readonly names: readonly string[]
}

function areTwins(one: Module, other: Module): boolean {
  const isSubset = (a: Module, b: Module) => a.names.every((name) => b.names.includes(name))
  if (one.layer === 'none') return isSubset(one, other)
  if (other.layer === 'none') return isSubset(other, one)
  return isSubset(one, other) && isSubset(other, one)
}

/** The sorted names that a TypeScript module exports, types too, as the formatter lays exports out. */
export function exportsOf(source: string): string[] {
  const declaration =
    /^export (?:declare )?(?:default )?(?:abstract )?(?:async )?(?:const enum|const|let|var|function\*?|class|type|interface|enum|namespace) (\w+)/gm
  const list = /^export (?:type )?\{([^}]*)\}/gm
  const all = /^export \* (?:as (\w+) )?from '([^']+)'/gm
  const names = [
    ...[...source.matchAll(declaration)].map((match) => match[1] ?? ''),
    ...[...source.matchAll(list)].flatMap((match) =>
      (match[1] ?? '')
        .split(',')
        .map((name) => name.trim().split(' ').at(-1) ?? '')
        .filter(Boolean),
    ),
    ...[...source.matchAll(all)].map((match) => match[1] ?? `* from ${match[2]}`),
    ...(/^export default /m.test(source) ? ['default'] : []),
  ]
  return [...new Set(names)].sort()
}

/** Every file of every layer. */
function blueprintFiles(fs: FileSystem, root: string): BlueprintFile[] {
  return fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: layer }) =>
      filesBelow(fs, join(root, layer)).map((file) => ({
        layer,
        file,
        text: fs.readFileSync(join(root, layer, file), 'utf8'),
      })),
    )
}

function templates(fs: FileSystem, root: string): BlueprintFile[] {
  return blueprintFiles(fs, root).filter(({ file }) => file.endsWith('.ejs'))
}
