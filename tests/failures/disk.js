import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A small disk that can be filled.
 * @typedef {object} Disk
 * @property {string} folder
 * @property {() => void} fill leaves no free byte
 * @property {() => void} free undoes that
 * @property {() => void} remove
 */

/** @returns {string | undefined} why no disk can be created */
export function findMissingDisk() {
  try {
    createDisk(1).remove()
    return undefined
  } catch {
    return 'mounting a tmpfs is refused; run the tests as root'
  }
}

/** Mounts a tmpfs. @param {number} megabytes @returns {Disk} */
export function createDisk(megabytes) {
  const folder = mkdtempSync(join(tmpdir(), 'create-authsmith-disk-'))
  const ballast = join(folder, 'ballast')
  const remove = () => {
    spawnSync('umount', ['--lazy', folder])
    rmdirSync(folder)
    process.off('exit', remove)
  }
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]
    execFileSync('mount', options, { stdio: 'pipe' })
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  process.once('exit', remove)
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a')
      try {
        for (const size of [64 * 1024, 4096]) while (hasRoom(file, size));
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove,
  }
}

/** Writes that many bytes. @param {number} file @param {number} size */
function hasRoom(file, size) {
  try {
    return writeSync(file, Buffer.alloc(size)) === size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
    throw error
  }
}
