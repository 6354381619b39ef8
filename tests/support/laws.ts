import { join } from 'node:path'
import { type AddOn, allowedAddOns } from '../../src/answers/add-ons.ts'
import { PACKAGE_MANAGERS, type PackageManager } from '../../src/answers/package-managers.ts'
import { allVariants } from '../../src/answers/variant.ts'
import { layersBelow, type Plan, planOf } from '../../src/blueprints/layers.ts'
import { outputPath } from '../../src/blueprints/render.ts'
import { type FileSystem, filesBelow } from '../../src/system/file-system.ts'
import { renderOnce } from './blueprints.ts'
import { templateFault } from './template-fault.ts'

interface BlueprintFile {
  readonly layer: string
  readonly file: string
  readonly text: string
}

/** Plans of projects: each variant with each package manager; with npm also with all add-ons. */
export function allPlans(): Plan[] {
  return allVariants().flatMap((variant) => {
    const planFor = (packageManager: PackageManager, addOns: AddOn[]) =>
      planOf({ name: 'my-api', ...variant, addOns, packageManager })
    return [
      ...PACKAGE_MANAGERS.map((packageManager) => planFor(packageManager, [])),
      planFor('npm', allowedAddOns(variant)),
    ]
  })
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
  const faults = allPlans().flatMap((plan) => {
    try {
      renderOnce(plan, fs, root)
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

/** Law 4, too: an exported function has no parameter that only its twin uses, except the context that every flow takes. */
export function parameterFaults(fs: FileSystem, root: string): string[] {
  const unused = /^export (?:const|function|async function) \w+[^\n]*?[(,] ?(_(?!ctx\b)[a-z]\w*)/gm
  return blueprintFiles(fs, root)
    .filter(({ file }) => /^src\/.*\.ts(\.ejs)?$/.test(file))
    .flatMap(({ layer, file, text }) =>
      [...text.matchAll(unused)].map(
        ([, name]) => `${layer}/${file}: the parameter ${name} is for another layer`,
      ),
    )
}

interface Module {
  readonly layer: string
  readonly names: readonly string[]
}

const modeOf = ({ layer }: Module) => /(?<=\/)(basic|complete)/.exec(layer)?.[0]

/** Twins of two modes may differ: no project changes its mode between two builds of one source, and tsc checks each. */
function areTwins(one: Module, other: Module): boolean {
  const [mode, otherMode] = [modeOf(one), modeOf(other)]
  if (mode && otherMode && mode !== otherMode) return true
  const isSubset = (a: Module, b: Module) => a.names.every((name) => b.names.includes(name))
  if (one.layer === 'core/none') return isSubset(one, other)
  if (other.layer === 'core/none') return isSubset(other, one)
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
  return layersBelow(fs, root).flatMap((layer) =>
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
