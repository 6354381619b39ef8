import { dirname, join } from 'node:path'
import type { FileSystem } from '../system/file-system.ts'
import type { System } from '../system/system.ts'

/** The texts of one path, by origin. */
export interface Sides {
  readonly base?: string | undefined
  readonly disk?: string | undefined
  readonly next?: string | undefined
}

export interface Formatted {
  readonly files: ReadonlyMap<string, Sides>
  /** Why the texts are not formatted. */
  readonly fault?: string
}

const SIDES = ['base', 'disk', 'next'] as const
const PROGRAM = 'node_modules/.bin/biome'
const CONFIGURATIONS = ['biome.json', 'biome.jsonc']
const ARGUMENTS = [
  'format',
  '--write',
  '--skip-parse-errors',
  '--files-ignore-unknown=true',
  '--no-errors-on-unmatched',
]

/**
 * Formats the texts with the project's own formatter and configuration. Runs outside the project, so that nothing in it
 * changes.
 * @param files by path
 */
export async function formatAsProject(
  system: System,
  project: string,
  files: ReadonlyMap<string, Sides>,
): Promise<Formatted> {
  const { fs } = system
  const program = join(project, PROGRAM)
  const configuration = CONFIGURATIONS.find((name) => fs.existsSync(join(project, name)))
  if (!fs.existsSync(program) || !configuration) {
    return {
      files,
      fault: 'The formatter is not installed: a file that only the formatter changed counts as edited.',
    }
  }
  // If the owner did not edit the generated configuration, the new one applies.
  const { base, disk, next = disk } = files.get(configuration) ?? {}
  const onDisk = fs.readFileSync(join(project, configuration), 'utf8')
  const style = disk === base ? (next ?? onDisk) : onDisk
  const folder = fs.mkdtempSync(join(system.temporary, 'create-authsmith-'))
  try {
    for (const side of SIDES) {
      const root = join(folder, side)
      writeSide(fs, root, side, files)
      // Written last, so that all sides are formatted with the same configuration.
      fs.writeFileSync(join(root, configuration), style)
      const { ok, output } = await system.run(program, [...ARGUMENTS, '.'], {
        cwd: root,
        signal: system.signal,
      })
      if (!ok)
        return {
          files,
          fault: `The formatter failed: a file that only the formatter changed counts as edited. ${output.trim().split('\n')[0]}`,
        }
    }
    return { files: readSides(fs, folder, files, configuration) }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function writeSide(fs: FileSystem, root: string, side: keyof Sides, files: ReadonlyMap<string, Sides>): void {
  fs.mkdirSync(root)
  for (const [path, { [side]: text }] of files) {
    if (text === undefined) continue
    fs.mkdirSync(join(root, dirname(path)), { recursive: true })
    fs.writeFileSync(join(root, path), text)
  }
}

function readSides(
  fs: FileSystem,
  folder: string,
  files: ReadonlyMap<string, Sides>,
  configuration: string,
): Map<string, Sides> {
  return new Map(
    [...files].map(([path, sides]) => {
      if (path === configuration) return [path, sides]
      const read = (side: keyof Sides) =>
        sides[side] === undefined
          ? undefined
          : fs.readFileSync(join(folder, side, path), 'utf8').replaceAll('\r\n', '\n')
      return [path, { base: read('base'), disk: read('disk'), next: read('next') }]
    }),
  )
}
