import type { Tree } from '../../project/tree.ts'
import { refused } from '../../system/errors.ts'
import type { Files } from '../../system/file-system.ts'
import type { Dialect } from '../sql/tokens.ts'
import { journalPath } from './folder.ts'

/**
 * Drizzle Kit's files in the migrations folder of one database. Ignores other files.
 * @returns their texts by path in the project
 * @throws UserError (refused) for anything but a text file
 */
export function migrationsIn(tree: Tree, dialect: Dialect): Files {
  const isKits = new RegExp(`^migrations/${dialect}/(?:[^/]+\\.sql|meta/[^/]+\\.json)$`)
  // Below a symbolic link, no path is listed.
  const paths = new Set([journalPath(dialect), ...tree.paths.filter((path) => isKits.test(path))])
  return new Map(
    [...paths].flatMap((path): [string, string][] => {
      const disk = tree.file(path)
      if (disk.kind === 'text') return [[path, disk.text]]
      if (disk.kind === 'absent') return []
      throw refused(`${path} is ${disk.what}. Migrations must be text files in real folders.`)
    }),
  )
}
