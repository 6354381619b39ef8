import { join } from 'node:path'
import { type Answers, DATABASES, MODES, PROFILES } from './answers.ts'
import type { FileSystem } from './file-system.ts'
import { planOf } from './plan.ts'
import { type Rendered, render } from './render.ts'

/** What working in an example leaves there: neither written nor looked at. */
const UNTRACKED = new Set(['node_modules', 'dist', 'coverage', 'data', '.env', 'package-lock.json'])

/** Every variant, by the name of its folder in examples/. */
export function exampleAnswers(): Map<string, Answers> {
  const base = { name: 'my-api', packageManager: 'npm' } as const
  return new Map(
    DATABASES.flatMap((database) =>
      MODES.flatMap((mode): [string, Answers][] =>
        mode === 'none'
          ? [[`${mode}-${database}`, { ...base, mode, database }]]
          : PROFILES.map((profile) => [
              `${mode}-${profile.toLowerCase()}-${database}`,
              { ...base, mode, profile, database },
            ]),
      ),
    ),
  )
}

/** All examples as they should be: `<variant>/<path>` → text. */
export function renderExamples(fs: FileSystem, blueprints: string): Rendered {
  const files = [...exampleAnswers()].flatMap(([variant, answers]) =>
    [...render(fs, blueprints, planOf(answers))].map(([path, text]) => [`${variant}/${path}`, text] as const),
  )
  return new Map(files)
}

/** Where `folder` differs from the examples as they should be: one line a file, none where it is fresh. */
export function staleExamples(fs: FileSystem, folder: string, rendered: Rendered): string[] {
  const onDisk = filesOnDisk(fs, folder)
  const faults = [...rendered].flatMap(([path, text]) => {
    if (!onDisk.has(path)) return [`missing: ${path}`]
    return onDisk.get(path) === text ? [] : [`differs: ${path}`]
  })
  const surplus = [...onDisk.keys()].filter((path) => !rendered.has(path))
  return [...faults, ...surplus.map((path) => `surplus: ${path}`)]
}

/** Makes `folder` hold the examples as they should be, and returns what it changed. */
export function writeExamples(fs: FileSystem, folder: string, rendered: Rendered): string[] {
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
