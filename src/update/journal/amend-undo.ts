import { join } from 'node:path'
import { readDisk } from '../../project/disk.ts'
import { readRecordText } from '../../project/records.ts'
import { type FileSystem, filesBelow } from '../../system/file-system.ts'
import { type FileState, parsePending, pendingText } from './journal.ts'
import { writeRecord } from './write-files.ts'

export type MigrationFiles = ReadonlyMap<string, FileState>

const FOLDER = 'migrations'

/** The files of migrations/, by path. */
export function migrationFiles(fs: FileSystem, project: string): MigrationFiles {
  if (!fs.existsSync(join(project, FOLDER))) return new Map()
  return new Map(
    filesBelow(fs, join(project, FOLDER)).flatMap((name): [string, FileState][] => {
      const path = `${FOLDER}/${name}`
      const file = readDisk(fs, project, path)
      return file.kind === 'text' ? [[path, { bytes: file.bytes, mode: file.mode }]] : []
    }),
  )
}

/** Whether a file of migrations/ is new or has changed. */
export const wasMigrated = (fs: FileSystem, project: string, before: MigrationFiles): boolean =>
  changed(fs, project, before).length > 0

const changed = (fs: FileSystem, project: string, before: MigrationFiles) =>
  [...migrationFiles(fs, project)].filter(([path, { bytes }]) => !before.get(path)?.bytes.equals(bytes))

/**
 * Adds the migrations that Drizzle Kit wrote after the update to undo.tmp. Without that, an `--abort` would leave a
 * journal that lists migrations which are gone.
 * @param before the migrations before it ran
 */
export function amendUndo(fs: FileSystem, project: string, before: MigrationFiles): void {
  const text = readRecordText(fs, project, 'undo.tmp')
  if (text === undefined) return
  const undo = parsePending(text, 'undo.tmp')
  const changes = new Map(undo.changes.map((change) => [change.path, change]))
  for (const [path, after] of changed(fs, project, before))
    changes.set(path, { ...(changes.get(path) ?? { path, before: before.get(path) ?? null }), after })
  writeRecord(fs, project, 'undo.tmp', pendingText({ ...undo, changes: [...changes.values()] }), 0o600)
}
