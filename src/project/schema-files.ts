import { join } from 'node:path'
import { type FileSystem, filesBelow } from '../system/file-system.ts'
import { readDisk } from './disk.ts'

const FOLDER = 'src/db/schema'

/** The texts of the files that define tables, where Drizzle Kit finds them, by their path in the project. */
export function schemaFiles(fs: FileSystem, project: string): Map<string, string> {
  if (!fs.lstatSync(join(project, FOLDER), { throwIfNoEntry: false })?.isDirectory()) return new Map()
  const texts = filesBelow(fs, join(project, FOLDER))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [`${FOLDER}/${file}`, readDisk(fs, project, `${FOLDER}/${file}`)] as const)
  return new Map(texts.flatMap(([path, file]) => (file.kind === 'text' ? [[path, file.text]] : [])))
}

/** The names of the tables that such a text defines with `table('users', …`. Includes those in comments. */
export function tablesIn(text: string): string[] {
  const definition = /\b(?:table|sqliteTable|pgTable)\(\s*(['"`])([^'"`\n]+)\1/g
  return [...text.matchAll(definition)].map(([, , name = '']) => name)
}
