import { createRequire } from 'node:module'
import { getTableName } from 'drizzle-orm'
import { prettyFactory } from 'pino-pretty'
import { describe, expect, test } from 'vitest'
import { id, table, text } from '../../src/db/dialect.ts'
import { probe } from '../../src/db/probe.ts'
import { createDevelopmentApp } from '../support/development.ts'

const options = createRequire(import.meta.url)('../../dev/log.cjs')
const show = prettyFactory({ ...options, colorize: false })

const hint = (name: string) =>
  new RegExp(`: src/db/schema has ${name}, the database does not: run .*db:generate\\b`)

const name = getTableName(probe[0])

// Only their names are in src/db/schema: one is that of a column, the other that of a table.
const newTable = table('created_at', { id: id() })
const newColumn = table(name, { value: text(name) })

describe('if the schema is ahead of the migrations, the error says what to do', () => {
  test.each(['read', 'write'])('%s', async (kind) => {
    const { app, entries } = await createDevelopmentApp(() => {})
    app.post('/read', () => app.db.read.select().from(newTable))
    app.post('/write', () =>
      app.db.transaction(async (tx) => {
        await tx.insert(newColumn).values({ value: '' })
      }),
    )
    expect((await app.inject({ method: 'POST', url: `/${kind}` })).statusCode).toBe(500)
    const [error] = entries.filter(({ level }) => level === 50)
    expect(show(error)).toMatch(hint(kind === 'read' ? 'created_at' : name))
  })

  test.each([
    'no such column: created_at',
    'no such column: notes.created_at',
    'no such column: "created_at" - should this be a string literal in single-quotes?',
    'column "created_at" does not exist',
    'column notes.created_at does not exist',
  ])('%s', (message) => {
    expect(show({ level: 50, msg: 'unexpected error', err: { message } })).toMatch(hint('created_at'))
  })

  test.each(['no such table: elsewhere', 'relation "elsewhere" does not exist', 'disk full'])(
    'any other error says nothing of it: %s',
    (message) => {
      expect(show({ level: 50, msg: 'unexpected error', err: { message } })).not.toContain('db:generate')
    },
  )
})

// A path could otherwise move the cursor and write over other lines of the terminal.
test('control characters are not shown', () => {
  expect(show({ level: 30, msg: 'GET /\u009b2J\u001b[2J\r 404' })).toContain(': GET /2J[2J 404')
})
