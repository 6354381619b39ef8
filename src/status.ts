import { join } from 'node:path'
import { compare, isMigration } from './compare.ts'
import type { FileSystem } from './file-system.ts'
import type { Project } from './manifest.ts'
import { decide } from './merge.ts'
import { readOwnText } from './own-files.ts'
import { type Pending, parsePending } from './pending.ts'
import type { Rendered } from './render.ts'
import type { World } from './world.ts'

export interface Status {
  readonly project: Project
  readonly pending: Pending | undefined
  /** Paths of generated files as they are now, and of those that the generator does not know. */
  readonly asGenerated: readonly string[]
  readonly edited: readonly string[]
  readonly deleted: readonly string[]
  /** Not looked into; with the reason. */
  readonly kept: readonly string[]
  readonly yours: readonly string[]
  readonly notes: readonly string[]
}

/** What tools leave in a project; it is nobody's text. */
const NOT_LISTED =
  /^(\.git|\.authsmith|\.env.*|node_modules|dist|coverage|data|\.yarn|.*\.log|package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock)$/

/** Looks at every file of the project, and changes nothing: neither finishes a pending update nor cleans up after one. */
export async function statusOf(world: World, project: Project): Promise<Status> {
  const base: Rendered = project.base?.files ?? new Map()
  const { files, fault } = await compare(world, project.path, base, base)
  const decisions = files.map(({ versions, file }) => ({
    ...decide(versions, ''),
    isAbsent: file.kind === 'absent',
  }))
  const paths = (wanted: string) =>
    decisions.filter(({ action }) => action === wanted).map(({ path }) => path)
  const text = readOwnText(world.fs, project.path, 'pending.json')
  return {
    project,
    pending: text === undefined ? undefined : parsePending(text),
    asGenerated: decisions
      .filter(({ action, isAbsent }) => action === 'same' && !isAbsent)
      .map(({ path }) => path),
    edited: paths('edited'),
    deleted: decisions.filter(({ isAbsent }) => isAbsent).map(({ path }) => path),
    kept: decisions
      .filter(({ action }) => action === 'kept')
      .map(({ path, detail }) => `${path} (${detail})`),
    yours: ownFiles(world.fs, project.path).filter((path) => !base.has(path) && !isMigration(path)),
    notes: [
      ...(project.base ? [] : ['.authsmith/base.json is missing: what was generated is not known']),
      ...(fault ? [fault] : []),
    ],
  }
}

function ownFiles(fs: FileSystem, project: string, folder = ''): string[] {
  return entriesOf(fs, join(project, folder))
    .filter(({ name }) =>
      folder === '' ? !NOT_LISTED.test(name) : name !== 'node_modules' && name !== '.git',
    )
    .flatMap((entry) => {
      const path = `${folder}${entry.name}`
      return entry.isDirectory() ? ownFiles(fs, project, `${path}/`) : [path]
    })
    .sort()
}

/** Nothing of a folder that belongs to somebody else, such as a database's in a container. */
function entriesOf(fs: FileSystem, folder: string) {
  try {
    return fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
