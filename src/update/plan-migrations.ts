import { planOf } from '../blueprints/layers.ts'
import { render } from '../blueprints/render.ts'
import { type MigrationSwitch, type SwitchedMigrations, switchMigrations } from '../migrations/switch.ts'
import { readDisk, refuseLinkOnTheWay } from '../project/disk.ts'
import type { Project } from '../project/manifest.ts'
import { schemaFiles } from '../project/schema-files.ts'
import { UserError } from '../system/errors.ts'
import type { FileSystem, Files } from '../system/file-system.ts'
import type { System } from '../system/system.ts'
import { type UpdateFile, unformatted } from './file.ts'

export interface PlannedMigrations extends Omit<SwitchedMigrations, 'files'> {
  readonly files: readonly UpdateFile[]
}

/**
 * Plans the new files of migrations/.
 * @param generated the files that are or were generated, with their decisions
 * @throws UserError (refused) if the migrations folder is damaged, or a path cannot be written
 */
export function planMigrations(
  system: System,
  options: Pick<MigrationSwitch, 'project' | 'to' | 'existingUsers' | 'next'>,
  generated: readonly UpdateFile[],
): PlannedMigrations {
  const { project, next } = options
  const { base, manifest, path: root } = project
  const switched = switchMigrations(system, {
    ...options,
    base: base?.files ?? render(system.fs, system.blueprints, planOf(manifest.answers)),
    keptSchemas: keptSchemas(system.fs, root, next, generated),
  })
  const files = [...switched.files].map(([path, text]) => addMigration(system.fs, root, path, text))
  return { ...switched, files }
}

/**
 * The texts of schema files that stay on disk but are not generated: the owner's files, edited or renamed ones, and
 * those that an earlier switch left. Drizzle Kit finds their tables.
 */
function keptSchemas(
  fs: FileSystem,
  root: Project['path'],
  next: Files,
  generated: readonly UpdateFile[],
): string[] {
  const deleted = new Set(
    generated.flatMap(({ path, decision }) => (decision.action === 'delete' ? [path] : [])),
  )
  return [...schemaFiles(fs, root)].flatMap(([path, text]) =>
    next.has(path) || deleted.has(path) ? [] : [text],
  )
}

function addMigration(fs: FileSystem, root: Project['path'], path: string, text: string): UpdateFile {
  refuseLinkOnTheWay(fs, root, path)
  const disk = readDisk(fs, root, path)
  if (disk.kind === 'other') {
    throw new UserError('refused', `${path} is ${disk.what}. Replace it with a text file.`)
  }
  if (disk.kind === 'absent') return { path, disk, decision: { action: 'create', text } }
  return { path, disk: unformatted(disk), decision: { action: 'update', text } }
}
