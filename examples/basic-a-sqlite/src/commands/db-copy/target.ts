import type { Config } from '../../config.ts'
import { connect } from '../../db/database.ts'
import {
  type CopiedColumn,
  type CopiedValue,
  CopyError,
  messageOf,
  quoted,
  RowError,
  type Target,
} from './database.ts'
import { createSqliteReader, type SqliteConnection } from './sqlite-reader.ts'
import { toSqlite } from './values.ts'

/** Opens the database to copy into: its tables are there, and empty. */
export async function openTarget(settings: Config['database']): Promise<Target> {
  return createTarget(connect(settings) as unknown as SqliteConnection)
}

export function createTarget(connection: SqliteConnection): Target {
  const reader = createSqliteReader(connection)
  const triggers = connection
    .prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`)
    .raw()
    .all() as string[][]

  return {
    ...reader,
    begin: async () => {
      // Rows come table by table, and refer to rows of tables that come later. All are checked in the end.
      connection.pragma('foreign_keys = OFF')
      try {
        connection.exec('BEGIN IMMEDIATE')
      } catch (error) {
        throw new CopyError(`Something else writes to the target: stop it first (${messageOf(error)})`)
      }
      // What the owner's triggers did once for these rows must not be done again.
      for (const [name = ''] of triggers) connection.exec(`DROP TRIGGER ${quoted(name)}`)
    },
    insert: async (table: string, columns: CopiedColumn[], rows: CopiedValue[][]) => {
      const names = columns.map(({ name }) => quoted(name)).join(', ')
      const insert = connection.prepare(
        `INSERT INTO ${quoted(table)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
      for (const [index, row] of rows.entries()) {
        try {
          insert.run(...row.map((value, at) => bound(columns[at], value)))
        } catch (error) {
          throw new RowError(index, messageOf(error))
        }
      }
    },
    restore: async () => {
      for (const [, sql = ''] of triggers) connection.exec(sql)
      const broken = connection.pragma('foreign_key_check') as {
        table: string
        rowid: number
        parent: string
      }[]
      const [first] = broken
      if (first)
        throw new CopyError(
          `${broken.length} rows refer to rows that are not there, the first is row ${first.rowid} of ${first.table}, to ${first.parent}`,
        )
    },
    setCounters: async (counters) => {
      const counting = connection
        .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'`)
        .raw()
        .all()
        .flat()
      for (const { name, key } of await reader.tables()) {
        const last = counters.get(`${name}.${key[0]}`)
        if (!counting.includes(name) || last === undefined) continue
        // SQLite keeps a number for a table from its first row on. Without a row there may have been ids too.
        connection
          .prepare(
            'INSERT INTO sqlite_sequence SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)',
          )
          .run(name, name)
        connection.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?').run(last, name)
      }
    },
    commit: async () => void connection.exec('COMMIT'),
    close: async () => void connection.close(),
  }
}

const bound = (column: CopiedColumn | undefined, value: CopiedValue) =>
  value === null || !column ? null : toSqlite(column.kind, value, column.type)
