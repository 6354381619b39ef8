import { expect, test } from 'vitest'
import { retiredNames } from '../../src/db/schema/retired-names.ts'
import { deleteMe } from '../support/account-data.ts'
import { logIn, password, readUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'
import { testServer } from '../support/server.ts'
import { untilOneWaits } from '../support/waiting.ts'

const registerAs = (app: TestApp, username: string) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    body: { username, email: 'thief@example.com', password },
  })

// An attacker who registers again and again until the deletion would get the name.
test.skipIf(!testServer)('a registration that waits for the deletion of its name is refused', async () => {
  const app = await createTestApp()
  const user = await readUser(app, (await register(app)).id)
  const { request } = await app.db.transaction(async (tx) => {
    await app.accounts.deleteUser(tx, user)
    const request = registerAs(app, 'alice')
    await untilOneWaits(tx)
    return { request }
  })
  expectProblem(await request, 'already_registered')
})

test.skipIf(!testServer)('two instances that delete their first users make one key', async () => {
  const app = await createTestApp()
  const user = await readUser(app, (await register(app)).id)
  await register(app, 'bob')
  const token = await logIn(app, 'bob')
  const { request } = await app.db.transaction(async (tx) => {
    await app.accounts.deleteUser(tx, user)
    const request = deleteMe(app, token)
    await untilOneWaits(tx)
    return { request }
  })
  expect((await request).statusCode).toBe(204)
  const keys = (await app.db.read.select().from(retiredNames)).filter(({ key }) => key !== null)
  expect(keys).toHaveLength(1)
  for (const name of ['alice', 'bob']) expectProblem(await registerAs(app, name), 'already_registered')
})
