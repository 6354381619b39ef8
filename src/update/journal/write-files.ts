import { basename, dirname, join } from 'node:path'
import { readDisk } from '../../project/disk.ts'
import { FOLDER, IGNORED_TEXT, type RecordFile } from '../../project/records.ts'
import type { FileSystem } from '../../system/file-system.ts'
import { codeOf } from '../../system/system-error.ts'
import type { FileState } from './journal.ts'

/**
 * In `.authsmith/`, so that a killed process leaves no file elsewhere. The lock lets one process at a time write it.
 */
const TEMPORARY = `${FOLDER}/write.tmp`

/** Writes one of the generator's files. */
export function writeRecord(
  fs: FileSystem,
  project: string,
  file: RecordFile,
  text: string,
  mode?: number,
): void {
  writeState(fs, project, `${FOLDER}/${file}`, { bytes: Buffer.from(text), mode })
}

/** Writes a temporary file and renames it, so that no reader ever sees a half-written file. */
export function writeState(fs: FileSystem, project: string, path: string, { bytes, mode }: FileState): void {
  const temporary = join(project, TEMPORARY)
  fs.rmSync(temporary, { force: true })
  fs.writeFileSync(temporary, bytes, { flag: 'wx', flush: true, ...(mode !== undefined && { mode }) })
  // The umask restricts a new file, but a replaced file must keep its permissions.
  if (mode !== undefined) fs.chmodSync(temporary, mode)
  const made = fs.mkdirSync(dirname(join(project, path)), { recursive: true })
  let folder = dirname(join(project, path))
  for (; made !== undefined && folder.length >= made.length; folder = dirname(folder))
    giveToOwner(fs, project, folder)
  giveToOwner(fs, fs.existsSync(join(project, path)) ? join(project, path) : project, temporary)
  fs.renameSync(temporary, asNamed(fs, join(project, path)))
}

/** The file with the name that the owner gave it. macOS and Windows find Keys.ts as keys.ts, which the rename would restore. */
function asNamed(fs: FileSystem, file: string): string {
  const [folder, name] = [dirname(file), basename(file)]
  const names = fs.existsSync(file) ? fs.readdirSync(folder) : [name]
  const found = names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name
  return names.includes(name) ? file : join(folder, found)
}

/** Root, for instance in a container, must not leave files that the owner of the project cannot change. */
function giveToOwner(fs: FileSystem, like: string, file: string): void {
  const [owner, { uid, gid }] = [fs.lstatSync(like), fs.lstatSync(file)]
  if (owner.uid === uid && owner.gid === gid) return
  try {
    fs.chownSync(file, owner.uid, owner.gid)
  } catch (error) {
    // Only root may do that. For anyone else, the files stay theirs.
    if (codeOf(error) !== 'EPERM') throw error
  }
}

/** Removes a file and the folders that it leaves empty. A folder that cannot be removed is ignored. */
export function remove(fs: FileSystem, project: string, path: string): void {
  fs.rmSync(join(project, path))
  try {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if (fs.readdirSync(join(project, folder)).length > 0) return
      fs.rmdirSync(join(project, folder))
    }
  } catch {}
}

/** Makes the rename survive a power failure. Windows does not support this and does not need it. */
export function flushFolder(fs: FileSystem, folder: string): void {
  try {
    const handle = fs.openSync(folder, 'r')
    try {
      fs.fsyncSync(handle)
    } finally {
      fs.closeSync(handle)
    }
  } catch (error) {
    if (!/^(EPERM|EISDIR|EACCES|EINVAL|EBADF)$/.test(codeOf(error) ?? '')) throw error
  }
}

const IGNORED = `${FOLDER}/.gitignore`

/** Keeps the lines of the owner, above ours: the last one that matches decides. */
export function ignoreJournals(fs: FileSystem, project: string): void {
  const present = readDisk(fs, project, IGNORED)
  if (present.kind === 'text' && present.text.endsWith(IGNORED_TEXT)) return
  const ours = IGNORED_TEXT.split('\n')
  const lines = present.kind === 'text' ? present.text.split('\n').filter((line) => !ours.includes(line)) : []
  writeState(fs, project, IGNORED, { bytes: Buffer.from([...lines, IGNORED_TEXT].join('\n')) })
}
