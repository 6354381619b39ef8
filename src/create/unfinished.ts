import { join } from 'node:path'
import type { PackageManager } from '../answers/package-managers.ts'
import { readDisk } from '../project/disk.ts'
import { type Project, readProject } from '../project/manifest.ts'
import { FOLDER } from '../project/records.ts'
import { UserError } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { type Place, TOLERATED } from './target.ts'

/** What each package manager writes at the end of an installation. */
const INSTALLED: Record<PackageManager, string> = {
  npm: 'node_modules/.package-lock.json',
  pnpm: 'node_modules/.modules.yaml',
  yarn: 'node_modules/.yarn-state.yml',
  bun: 'bun.lock',
}

/**
 * Finds a project whose creation was interrupted: all files were written, none was changed since, and the installation
 * did not end. Changes nothing.
 */
export function findUnfinished(fs: FileSystem, { path }: Place): Project | undefined {
  // readProject would also find a project in a parent folder. A symbolic link is refused, as for a new project.
  if (!fs.existsSync(join(path, FOLDER)) || fs.lstatSync(path).isSymbolicLink()) return undefined
  const project = readOurs(fs, path)
  if (!project?.base || project.manifest.history.length > 1) return undefined
  if (fs.existsSync(join(path, INSTALLED[project.manifest.answers.packageManager]))) return undefined
  const isUntouched = [...project.base.files].every(([file, text]) => {
    const disk = readDisk(fs, path, file)
    return TOLERATED.includes(file) || (disk.kind === 'text' && disk.text === text)
  })
  return isUntouched ? project : undefined
}

/** @returns undefined for records that are damaged or of a newer version */
function readOurs(fs: FileSystem, path: string): Project | undefined {
  try {
    return readProject(fs, path)
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}
