import { dirname, join } from 'node:path'
import type { FileSystem } from './file-system.ts'
import type { World } from './world.ts'

/** The texts of one path, by where they are from. */
export interface Sides<T = string> {
  readonly base?: T | undefined
  readonly disk?: T | undefined
  readonly next?: T | undefined
}

export interface Formatted {
  readonly files: ReadonlyMap<string, Sides>
  /** Why the texts are as they were. */
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
 * Lays the texts out as the project's own formatter does, with its own configuration. Runs outside the project, so that
 * nothing in it changes.
 * @param files by path
 */
export async function formatAsProject(
  world: World,
  project: string,
  files: ReadonlyMap<string, Sides>,
): Promise<Formatted> {
  const { fs } = world
  const program = join(project, PROGRAM)
  const configuration = CONFIGURATIONS.find((name) => fs.existsSync(join(project, name)))
  if (!fs.existsSync(program) || !configuration) {
    return {
      files,
      fault: 'the formatter is not installed, so that a file which only it changed counts as edited',
    }
  }
  // A configuration that the owner left as it was generated is the new one then.
  const { base, disk, next = disk } = files.get(configuration) ?? {}
  const onDisk = fs.readFileSync(join(project, configuration), 'utf8')
  const style = disk === base ? (next ?? onDisk) : onDisk
  const folder = fs.mkdtempSync(join(world.temporary, 'create-authsmith-'))
  try {
    for (const side of SIDES) {
      const root = join(folder, side)
      writeSide(fs, root, side, files)
      // After the texts: it is the owner's, whatever was generated at its path.
      fs.writeFileSync(join(root, configuration), style)
      const { ok, output } = await world.run(program, [...ARGUMENTS, '.'], {
        cwd: root,
        signal: world.signal,
      })
      if (!ok)
        return {
          files,
          fault: `the formatter failed, so that a file which only it changed counts as edited: ${output.trim().split('\n')[0]}`,
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
