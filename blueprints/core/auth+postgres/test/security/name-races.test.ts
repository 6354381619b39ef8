import { expect, test } from 'vitest'
import { retiredNames } from '../../src/db/schema/retired-names.ts'
import { readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'
import { deleteAndRetire, registerAs } from '../support/retired-names.ts'
import { testServer } from '../support/server.ts'
import { untilOneWaits } from '../support/waiting.ts'

// An attacker who registers again and again until the deletion would get the name.
test.skipIf(!testServer)('a registration that waits for the deletion of its name is refused', async () => {
  const app = await createTestApp()
  const user = await readUser(app, (await register(app)).id)
  const { request } = await app.db.transaction(async (tx) => {
    await deleteAndRetire(tx, user)
    const request = registerAs(app, 'alice')
    await untilOneWaits(tx)
    return { request }
  })
  expectProblem(await request, 'already_registered')
})

test.skipIf(!testServer)('two instances that delete their first users make one key', async () => {
  const app = await createTestApp()
  const user = await readUser(app, (await register(app)).id)
  const bob = await readUser(app, (await register(app, 'bob')).id)
  const { other } = await app.db.transaction(async (tx) => {
    await deleteAndRetire(tx, user)
    const other = app.db.transaction((own) => deleteAndRetire(own, bob))
    await untilOneWaits(tx)
    return { other }
  })
  await other
  const keys = (await app.db.read.select().from(retiredNames)).filter(({ key }) => key !== null)
  expect(keys).toHaveLength(1)
  for (const name of ['alice', 'bob']) expectProblem(await registerAs(app, name), 'already_registered')
})
