import { readdirSync } from 'node:fs'
import { getTableName, is, Table } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { exportAccount } from '../../src/exports/export-account.ts'
import { readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

const schema = new URL('../../src/db/schema/', import.meta.url)

/** The names of the tables whose rows belong to a user. */
async function tablesOfUsers(): Promise<string[]> {
  const files = readdirSync(schema).filter((file) => file.endsWith('.ts'))
  const modules = await Promise.all(files.map((file) => import(new URL(file, schema).href)))
  const tables = modules.flatMap((module) => Object.values(module)).filter((value) => is(value, Table))
  const isOfUsers = (table: Table) =>
    foreignKeysOf(table).some((key) => getTableName(key.reference().foreignTable) === 'users')
  return tables.filter(isOfUsers).map(getTableName)
}

const foreignKeysOf = (table: Table) =>
  is(table, pg.PgTable)
    ? pg.getTableConfig(table).foreignKeys
    : sqlite.getTableConfig(table as sqlite.SQLiteTable).foreignKeys

// A user has a right to all of it.
test('the export reads every table that references users', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const read = new Set<string>()
  const reader = new Proxy(app.db.read, {
    get(db, property) {
      if (property !== 'select') return Reflect.get(db, property)
      return (...fields: []) => {
        const query = db.select(...fields)
        const from = query.from.bind(query)
        return Object.assign(query, {
          from(table: Table) {
            read.add(getTableName(table))
            return from(table as never)
          },
        })
      }
    },
  })
  await exportAccount(reader, await readUser(app, id), app.now())
  const missing = (await tablesOfUsers()).filter((name) => !read.has(name))
  const fix = `the export lacks ${missing.join(', ')}: add a file to src/exports/ for each, as docs/account-data.md says`
  expect(missing, fix).toEqual([])
})
