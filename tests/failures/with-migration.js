import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MIGRATIONS = [
  'ALTER TABLE "users" ADD COLUMN "locale" text;\n',
  'CREATE INDEX CONCURRENTLY "users_locale" ON "users" USING btree ("locale");\n',
]

/**
 * The next version of a built service on PostgreSQL: with a migration that locks a table, and one that builds an index.
 * @param {string} project
 * @param {string} scratch
 * @returns {string} its folder
 */
export function withMigration(project, scratch) {
  const next = mkdtempSync(join(scratch, 'next-'))
  const modules = join(project, 'node_modules')
  cpSync(project, next, { recursive: true, filter: (path) => path !== modules })
  symlinkSync(modules, join(next, 'node_modules'))
  const folder = join(next, 'migrations/postgres')
  const journalPath = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(journalPath, 'utf8'))
  for (const [index, sql] of MIGRATIONS.entries()) {
    const last = journal.entries.at(-1)
    const tag = `000${index + 1}_next`
    journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1000, tag })
    writeFileSync(join(folder, `${tag}.sql`), sql)
  }
  writeFileSync(journalPath, JSON.stringify(journal))
  return next
}
