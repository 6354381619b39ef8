import { expect, test } from 'vitest'
import { retiredNames } from '../../src/db/schema/retired-names.ts'
import { deleteMe } from '../support/account-data.ts'
import { logIn, readUser, register } from '../support/accounts.ts'
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
  const user = await readUser(app, (await register(app)).id)
  const failed = new Error('disk full')
  const work = app.db.transaction(async (tx) => {
    await app.accounts.deleteUser(tx, user)
    throw failed
  })
  await expect(work).rejects.toBe(failed)
  expect(await app.db.read.$count(retiredNames)).toBe(0)
  await logIn(app)
})
