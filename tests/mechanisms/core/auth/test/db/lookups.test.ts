import { expect, test } from 'vitest'
import { prepareLookup } from '../../src/db/queries.ts'
import { users } from '../../src/db/schema/users.ts'
import { readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

test('lookups at the same moment find their own rows, as a select does', async () => {
  const app = await createTestApp()
  const byId = prepareLookup(app.db, { user: users }, users.id, (query) => query.from(users))
  const ids: number[] = []
  for (const name of ['alice', 'bob', 'carol']) ids.push((await register(app, name)).id)
  const selected = await Promise.all(ids.map((id) => readUser(app, id)))
  for (const _time of [1, 2])
    expect(await Promise.all(ids.map((id) => byId(id)))).toEqual(selected.map((user) => ({ user })))
  expect(await Promise.all([4711, ids[0] ?? 0, 0].map((id) => byId(id)))).toEqual([
    undefined,
    { user: selected[0] },
    undefined,
  ])
})

test('two lookups of one id do not share their objects', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const byId = prepareLookup(app.db, { user: users }, users.id, (query) => query.from(users))
  const [first, second] = await Promise.all([byId(id), byId(id)])
  expect(second).toEqual(first)
  expect(second?.user).not.toBe(first?.user)
})

// Otherwise SQLite would answer one request after the other, each before the next is read.
test('a lookup leaves the event loop to requests that have arrived', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const byId = prepareLookup(app.db, { user: users }, users.id, (query) => query.from(users))
  let isTurnOver = false
  setImmediate(() => {
    isTurnOver = true
  })
  await byId(id)
  expect(isTurnOver).toBe(true)
})
