import { expect, test } from 'vitest'
import { deleteAccount } from '../../src/accounts/delete-account.ts'
import type { Database } from '../../src/db/database.ts'
import { retiredNames } from '../../src/db/schema/retired-names.ts'
import { deleteMe } from '../support/account-data.ts'
import { callerOf, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { expectProblem } from '../support/problem.ts'
import { registerAs } from '../support/retired-names.ts'

test('the name of a deleted account stays taken, also if the command deleted it, and so do earlier ones', async () => {
  const app = await createTestApp()
  await register(app)
  await deleteMe(app, await logIn(app))
  for (const name of ['bob', 'carol']) {
    await register(app, name)
    await runCommand(app, 'delete', name, '--yes')
  }
  for (const name of ['alice', 'bob', 'carol'])
    expectProblem(await registerAs(app, name), 'already_registered')
})

test('a deletion that fails leaves the name to its user', async () => {
  const app = await createTestApp()
  await register(app)
  const caller = await callerOf(app, await logIn(app))
  const failed = new Error('disk full')
  const db: Database = {
    ...app.db,
    transaction: (work) =>
      app.db.transaction(async (tx) => {
        await work(tx)
        throw failed
      }),
  }
  await expect(deleteAccount({ ...app.ctx, db }, caller)).rejects.toBe(failed)
  expect(await app.db.read.$count(retiredNames)).toBe(0)
  await logIn(app)
})
