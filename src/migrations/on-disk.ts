import { join } from 'node:path'
import { readDisk } from '../project/disk.ts'
import { UserError } from '../system/errors.ts'
import { type FileSystem, type Files, filesBelow } from '../system/file-system.ts'
import type { Dialect } from './sql/tokens.ts'

/**
 * Reads Drizzle Kit's files in the migrations folder of one database. Ignores other files.
 * @returns their texts by path in the project
 * @throws UserError (refused) for anything but a text file
 */
export function migrationsOnDisk(fs: FileSystem, project: string, dialect: Dialect): Files {
  const folder = `migrations/${dialect}`
  if (!fs.lstatSync(join(project, folder), { throwIfNoEntry: false })) return new Map()
  const files = filesBelow(fs, join(project, folder)).filter((file) =>
    /^(?:[^/]+\.sql|meta\/[^/]+\.json)$/.test(file),
  )
  return new Map(
    files.map((file): [string, string] => {
      const path = `${folder}/${file}`
      const disk = readDisk(fs, project, path)
      if (disk.kind === 'text') return [path, disk.text]
      const what = disk.kind === 'other' ? disk.what : 'missing'
      throw new UserError('refused', `${path} is ${what}. Migrations must be text files in real folders.`)
    }),
  )
}
