import type { Files } from '../system/file-system.ts'
import { sqlName } from './database-schema.ts'
import { journalPath, readFolder, type Snapshot, sqlPath } from './folder.ts'
import type { Dialect } from './sql/tokens.ts'

/**
 * The note about what Drizzle Kit dropped by itself: what the owner removed from the schema files while the project had
 * another database. The rows may still be in this one.
 * @param before the migrations before it ran, by path
 * @param after those after it
 */
export function droppedNotes(before: Files, after: Files, dialect: Dialect): string[] {
  if (!before.has(journalPath(dialect))) return []
  const [older, newer] = [before, after].map((files) => readFolder(files, dialect).migrations.at(-1))
  if (!older || !newer || older.tag === newer.tag) return []
  const left = new Set(namesOf(newer.snapshot))
  const lost = namesOf(older.snapshot).filter((name) => !left.has(name))
  const gone = new Set(lost)
  // What belongs to a dropped table goes with it.
  const dropped = lost.filter((name) => !gone.has(`table ${name.split(' of ')[1]}`))
  return dropped.length === 0
    ? []
    : [
        `${sqlPath(dialect, newer.tag)} drops ${dropped.join(', ')}, which your schema files no longer define: if the database may still need that, run regenerate --abort before the next start, define it again, and switch again`,
      ]
}

/** What a dump of the schema would list, such as `column note of notes`. */
const namesOf = ({ tables }: Snapshot): string[] =>
  Object.values(tables).flatMap((table) => {
    const of = sqlName(table)
    return [
      `table ${of}`,
      ...Object.keys(table.columns).map((column) => `column ${column} of ${of}`),
      ...Object.keys(table.indexes).map((index) => `index ${index} of ${of}`),
    ]
  })
