import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../src/db/database.ts'

/** Everything in the database of an app, as text: what an attacker with a copy could search. */
export const readDisk = ({ db }: { db: Database }): Promise<string> =>
  db.transaction(async (tx) => {
    const rows = async (query: SQL) => ((await tx.execute(query)) as { rows: Record<string, string>[] }).rows
    const tables = await rows(sql`SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`)
    const contents: string[] = []
    for (const { tablename = '' } of tables)
      contents.push(JSON.stringify(await rows(sql`SELECT t::text FROM ${sql.identifier(tablename)} t`)))
    return contents.join('\n')
  })
