import { join } from 'node:path'
import type { FileSystem } from '../system/file-system.ts'

/** Files that tools leave in a project. */
const NOT_LISTED =
  /^(\.git|\.authsmith|\.env.*|node_modules|dist|coverage|data|\.yarn|.*\.log|package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock)$/

/**
 * The paths of all files of the project, except what tools leave there and `.env` files.
 * @param folder with a slash at its end; empty for the whole project
 */
export function projectFiles(fs: FileSystem, project: string, folder = ''): string[] {
  return entriesOf(fs, join(project, folder))
    .filter(({ name }) =>
      folder === '' ? !NOT_LISTED.test(name) : name !== 'node_modules' && name !== '.git',
    )
    .flatMap((entry) => {
      const path = `${folder}${entry.name}`
      return entry.isDirectory() ? projectFiles(fs, project, `${path}/`) : [path]
    })
    .sort()
}

/** Empty for a folder that cannot be read, such as the data folder of a database container. */
function entriesOf(fs: FileSystem, folder: string) {
  try {
    return fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
