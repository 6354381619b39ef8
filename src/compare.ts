import { type DiskFile, readDisk } from './disk.ts'
import { formatAsProject, type Sides } from './formatter.ts'
import type { OnDisk, Text, Versions } from './merge.ts'
import type { Rendered } from './render.ts'
import type { World } from './world.ts'

/** One path of the project: as generated last time, as it is, as generated now. */
export interface Compared {
  readonly versions: Versions
  readonly file: DiskFile
}

export interface Comparison {
  readonly files: readonly Compared[]
  /** Why a file that only the formatter changed may count as edited. */
  readonly fault?: string | undefined
}

/** Appended to, never merged. */
export const isMigration = (path: string) => path.startsWith('migrations/')

/**
 * Sets what was generated, what is there and what is generated now beside each other; the migrations apart.
 * The project's formatter is asked only where a file's text is neither what was nor what is generated.
 */
export async function compare(
  world: World,
  project: string,
  base: Rendered,
  next: Rendered,
): Promise<Comparison> {
  const paths = [...new Set([...base.keys(), ...next.keys()])].filter((path) => !isMigration(path)).sort()
  const files = new Map(paths.map((path) => [path, readDisk(world.fs, project, path)]))
  const raw = new Map(
    [...files].map(([path, file]): [string, Sides] => [
      path,
      { base: base.get(path), disk: file.kind === 'text' ? file.text : undefined, next: next.get(path) },
    ]),
  )
  const { files: formatted, fault } = [...raw.values()].some(isTouched)
    ? await formatAsProject(world, project, raw)
    : { files: raw }
  return {
    files: paths.map((path) => {
      const file = files.get(path) as DiskFile
      const [plain = {}, laidOut = {}] = [raw.get(path), formatted.get(path)]
      const text = (side: keyof Sides): Text | undefined => pair(plain[side], laidOut[side])
      const disk = onDisk(file, text('disk'))
      return { file, versions: { path, base: text('base'), disk, next: text('next') } }
    }),
    fault,
  }
}

const isTouched = ({ base, disk, next }: Sides) =>
  disk !== undefined && base !== undefined && disk !== base && disk !== next

function pair(raw: string | undefined, formatted: string | undefined): Text | undefined {
  return raw === undefined ? undefined : { raw, formatted: formatted ?? raw }
}

function onDisk(file: DiskFile, text: Text | undefined): OnDisk {
  return file.kind === 'text' && text ? { kind: 'text', ...text } : (file as OnDisk)
}
