import { readdirSync, readFileSync } from 'node:fs'
import { getTableName, is, Table } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { exportAccount } from '../../src/exports/export-account.ts'
import { readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

const schema = new URL('../../src/db/schema/', import.meta.url)

/** The names of the tables whose rows belong to a user. */
async function tablesOfUsers(): Promise<string[]> {
  const files = readdirSync(schema).filter((file) =>
    /references\(\(\) => users\.id/.test(readFileSync(new URL(file, schema), 'utf8')),
  )
  const modules = await Promise.all(files.map((file) => import(new URL(file, schema).href)))
  return modules.flatMap((module) =>
    Object.values(module).flatMap((value) => (is(value, Table) ? getTableName(value) : [])),
  )
}

// A user has a right to all of it. If this fails, add a file to src/exports/ that reads the missing table.
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
  expect((await tablesOfUsers()).filter((name) => !read.has(name))).toEqual([])
})
