import { join } from 'node:path'
import type { System } from './system.ts'

/**
 * Removes the temporary folders of dead processes (killed with SIGKILL, or a power failure). Ignores those that cannot
 * be read or removed, because they belong to another user.
 * @param name matches their names, with the process id as its group
 */
export function removeStale(
  { fs, isAlive }: Pick<System, 'fs' | 'isAlive'>,
  parent: string,
  name: RegExp,
): void {
  try {
    for (const entry of fs.readdirSync(parent, { withFileTypes: true })) {
      const pid = name.exec(entry.name)?.[1]
      if (pid && entry.isDirectory() && !isAlive(Number(pid)))
        fs.rmSync(join(parent, entry.name), { recursive: true, force: true })
    }
  } catch {}
}
