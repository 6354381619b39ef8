import { inspect } from 'node:util'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { withoutValues } from '../../src/db/dialect.ts'
import { createTestApp } from '../support/app.ts'

const secret = 'alice"s hash'

// Errors get into logs and tickets. PostgreSQL quotes the value, and names the row in the details.
test.each([
  ['Drizzle adds', sql`SELECT ${secret}::text FROM nowhere`, 'relation "nowhere" does not exist'],
  [
    'a type does not accept',
    sql`SELECT ${secret}::timestamptz`,
    'invalid input syntax for type timestamp with time zone: "…"',
  ],
  ['a row has', sql`INSERT INTO items VALUES (${secret}, NULL)`, /^null value in column "count" of relation/],
  [
    'a unique index has',
    sql`INSERT INTO items VALUES (${secret}, 1)`,
    /^duplicate key value violates unique/,
  ],
])('an error does not show the value that %s', async (_case, query, message) => {
  const app = await createTestApp()
  const error = await app.db
    .transaction(async (tx) => {
      await tx.execute(sql`CREATE TABLE items (name text UNIQUE, count int NOT NULL)`)
      await tx.execute(sql`INSERT INTO items VALUES (${secret}, 1) RETURNING count`)
      await tx.execute(query)
    })
    .catch(withoutValues)
  expect(error).toMatchObject({
    message: expect.stringMatching(message),
    code: expect.stringMatching(/^\w{5}$/),
  })
  expect(inspect(error)).toMatch(/\n +at /)
  expect(inspect(error)).not.toContain('hash')
})
