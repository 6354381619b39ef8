import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Finds an installed program. Debian does not put those of the system, such as pgbouncer, on the PATH of every account.
 * @param {string[]} names the first that is there counts
 * @returns {string | undefined} its path
 */
export function findProgram(...names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file))
}
