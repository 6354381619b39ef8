import { readDisk } from '../../project/disk.ts'
import { UserError } from '../../system/errors.ts'
import type { FileSystem } from '../../system/file-system.ts'
import { decide } from '../plan/decide.ts'
import type { UpdateFile } from '../plan/file.ts'

/** No tool compiles, loads, checks or runs a file with this ending. */
const ENDING = '.yours'

/** The path at which an update keeps an edited file that would not work without what it removes. */
const asidePath = (path: string): string => `${path}${ENDING}`

/** The path of the file before an update set it aside. */
export const homeOf = (path: string): string => (path.endsWith(ENDING) ? path.slice(0, -ENDING.length) : path)

/**
 * Moves an edited file to where nothing loads it: its edits are kept, and are merged if the file is generated again.
 * @param reason why the file does not work after the update
 * @throws UserError (refused) if something else is at that path
 */
export function setAside(
  fs: FileSystem,
  project: string,
  { decision, ...file }: UpdateFile,
  reason: string,
): UpdateFile[] {
  const { path, disk } = file
  if (disk.kind !== 'text') return [{ ...file, decision }]
  const aside = readDisk(fs, project, asidePath(path))
  if (aside.kind !== 'absent')
    throw new UserError(
      'refused',
      `${asidePath(path)} is in the way of ${path}, which you edited and which would not work after the update. Rename or delete the first, then run the command again.`,
    )
  const detail = `moved from ${path}, because ${reason}`
  return [
    { ...file, decision: { action: 'delete' } },
    {
      path: asidePath(path),
      disk: aside,
      from: disk,
      decision: { action: 'yours', text: disk.text, detail },
    },
  ]
}

/**
 * Moves the files that are generated again back, and merges their edits.
 * @param label name of the new variant, for conflict markers
 */
export function bringBack(
  fs: FileSystem,
  project: string,
  files: readonly UpdateFile[],
  label: string,
): UpdateFile[] {
  return files.flatMap((file): UpdateFile[] => {
    if (file.dropped !== 'edited' || file.decision.action !== 'create') return [file]
    const path = asidePath(file.path)
    const from = readDisk(fs, project, path)
    if (from.kind !== 'text') return [file]
    const { action, text = from.text } = decide({ ...file, disk: from }, label)
    const detail = `moved back from ${path}`
    return [
      { ...file, from, decision: { action: action === 'conflict' ? action : 'merge', text, detail } },
      { path, disk: from, decision: { action: 'delete' } },
    ]
  })
}
