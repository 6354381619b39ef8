import { join } from 'node:path'
import type { Answers } from '../answers/answers.ts'
import { packageManagerCommands } from '../answers/package-managers.ts'
import type { FileSystem } from '../system/file-system.ts'

/** Names the lock file that a switch of the package manager leaves: tools that find it install with the old one. */
export function lockFileNotes(fs: FileSystem, project: string, from: Answers, to: Answers): string[] {
  const [old, now] = [from.packageManager, to.packageManager]
  const { lockfile } = packageManagerCommands[old]
  return old === now || !fs.existsSync(join(project, lockfile))
    ? []
    : [`${lockfile}: ${old} wrote it and ${now} does not read it; delete it`]
}
