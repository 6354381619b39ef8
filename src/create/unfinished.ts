import { join } from 'node:path'
import { readDisk } from '../project/disk.ts'
import { type Project, readProject } from '../project/manifest.ts'
import { FOLDER } from '../project/records.ts'
import type { FileSystem } from '../system/file-system.ts'
import { type Place, TOLERATED } from './target.ts'

/** Exists until a project is finished, with the id of the process that works on it. Ignored by git. */
const MARKER = `${FOLDER}/unfinished.tmp`

/** Marks a project whose creation this process finishes. */
export const markUnfinished = (fs: FileSystem, project: string, pid: number): void =>
  fs.writeFileSync(join(project, MARKER), `${pid}\n`)

export const markFinished = (fs: FileSystem, project: string): void =>
  fs.rmSync(join(project, MARKER), { force: true })

/**
 * Finds a project whose creation was interrupted: all files were written, none was changed since, the installation did
 * not end, and no process works on it. Changes nothing.
 * @param isAlive whether a process runs
 * @throws UserError (refused) if its records are damaged, or of a newer version
 */
export function findUnfinished(
  fs: FileSystem,
  { path }: Place,
  isAlive: (pid: number) => boolean,
): Project | undefined {
  // readProject would also find a project in a parent folder. A symbolic link is refused, as for a new project.
  if (!fs.existsSync(join(path, MARKER)) || fs.lstatSync(path).isSymbolicLink()) return undefined
  // Empty if the process was killed before it wrote its id.
  const pid = Number(fs.readFileSync(join(path, MARKER), 'utf8'))
  if (pid && isAlive(pid)) return undefined
  const project = readProject(fs, path)
  if (!project.base || project.manifest.history.length > 1) return undefined
  const isUntouched = [...project.base.files].every(([file, text]) => {
    const disk = readDisk(fs, path, file)
    return TOLERATED.includes(file) || (disk.kind === 'text' && disk.text === text)
  })
  return isUntouched ? project : undefined
}
