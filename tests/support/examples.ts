import { join } from 'node:path'
import { allowedAddOns } from '../../src/answers/add-ons.ts'
import type { Answers } from '../../src/answers/answers.ts'
import { allVariants, nameOf } from '../../src/answers/variant.ts'
import { planOf } from '../../src/blueprints/layers.ts'
import { projectFiles } from '../../src/migrations/project-files.ts'
import type { FileSystem, Files } from '../../src/system/file-system.ts'

/** Files that working in an example leaves there. They are neither written nor compared. */
const UNTRACKED = new Set(['node_modules', 'dist', 'coverage', 'data', '.env', 'package-lock.json'])

/** The examples that have all add-ons. */
const WITH_ALL = ['complete-a-postgres', 'complete-b-sqlite']

/** Every example, by the name of its folder: each variant without add-ons, and two of them with all of theirs. */
export function exampleAnswers(): Map<string, Answers> {
  return new Map(
    allVariants().flatMap((variant): [string, Answers][] => {
      const name = nameOf(variant)
      const core: Answers = { name: 'my-api', ...variant, addOns: [], packageManager: 'npm' }
      const all: Answers = { ...core, addOns: allowedAddOns(variant) }
      return [[name, core], ...(WITH_ALL.includes(name) ? [[`${name}-all`, all] as [string, Answers]] : [])]
    }),
  )
}

/** All examples as they should be: `<variant>/<path>` → text. */
export function renderExamples(fs: FileSystem, blueprints: string): Files {
  const files = [...exampleAnswers()].flatMap(([variant, answers]) =>
    [...projectFiles(fs, blueprints, planOf(answers))].map(
      ([path, text]) => [`${variant}/${path}`, text] as const,
    ),
  )
  return new Map(files)
}

/** The differences between `folder` and the rendered examples, one line per file; empty if it is up to date. */
export function staleExamples(fs: FileSystem, folder: string, rendered: Files): string[] {
  const onDisk = filesOnDisk(fs, folder)
  const faults = [...rendered].flatMap(([path, text]) => {
    if (!onDisk.has(path)) return [`missing: ${path}`]
    return onDisk.get(path) === text ? [] : [`differs: ${path}`]
  })
  const surplus = [...onDisk.keys()].filter((path) => !rendered.has(path))
  return [...faults, ...surplus.map((path) => `surplus: ${path}`)]
}

/** Makes `folder` hold the examples as they should be, and returns what it changed. */
export function writeExamples(fs: FileSystem, folder: string, rendered: Files): string[] {
  const stale = staleExamples(fs, folder, rendered)
  for (const fault of stale) {
    const path = fault.replace(/^\w+: /, '')
    const text = rendered.get(path)
    if (text === undefined) fs.rmSync(join(folder, path))
    else {
      fs.mkdirSync(join(folder, path, '..'), { recursive: true })
      fs.writeFileSync(join(folder, path), text)
    }
  }
  return stale
}

function filesOnDisk(fs: FileSystem, folder: string, prefix = ''): Map<string, string> {
  if (!fs.existsSync(folder)) return new Map()
  const entries = fs.readdirSync(join(folder, prefix), { withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => prefix.split('/').length !== 2 || !UNTRACKED.has(entry.name))
      .flatMap((entry): [string, string][] => {
        const path = `${prefix}${entry.name}`
        if (entry.isDirectory()) return [...filesOnDisk(fs, folder, `${path}/`)]
        return [[path, fs.readFileSync(join(folder, path), 'utf8')]]
      }),
  )
}
