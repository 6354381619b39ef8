import { expect, test } from 'vitest'
import { unusablePassword } from '../../src/passwords/hashes.ts'
import { insertUser } from '../../src/users/users.ts'
import { createTestApp } from '../support/app.ts'
import { testServer } from '../support/server.ts'
import { createClient } from '../support/service-clients.ts'
import { untilOneWaits } from '../support/waiting.ts'

// Both would commit, and a service that knows its callers by `sub` would take one for the other.
test.skipIf(!testServer)('a client whose name a user gets at the same time is refused', async () => {
  const app = await createTestApp()
  const user = { username: 'orders', email: 'orders@example.com', hashedPassword: unusablePassword }
  const { client } = await app.db.transaction(async (tx) => {
    await insertUser(tx, user, app.now())
    const client = createClient(app).catch((error: Error) => error.message)
    await untilOneWaits(tx)
    return { client }
  })
  expect(await client).toContain('A user has or had the name orders.')
})
