import { expect, test } from 'vitest'
import { retiredNames } from '../../src/db/schema/retired-names.ts'
import { users } from '../../src/db/schema/users.ts'
import { deleteMe } from '../support/account-data.ts'
import { logIn, password, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { comparable } from '../support/comparable.ts'
import { expectProblem } from '../support/problem.ts'

// Other services may know a user by the username in access tokens. They would take a new user of this name for the
// deleted one.

async function withoutAlice() {
  const app = await createTestApp()
  await register(app)
  await deleteMe(app, await logIn(app))
  return app
}

const registerAs = (app: TestApp, username: string) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    body: { username, email: 'thief@example.com', password },
  })

test.each(['alice', 'ALICE', ' Alice '])('the name of a deleted user is taken as %j', async (username) => {
  const app = await withoutAlice()
  const refused = await registerAs(app, username)
  expectProblem(refused, 'already_registered')
  expect(await app.db.read.$count(users)).toBe(0)
  // The address is free, and the answer is that for the name of a user.
  await registerAs(app, 'bob')
  expect(comparable(await registerAs(app, 'bob'))).toEqual(comparable(refused))
})

test('a command does not give the name to another user either', async () => {
  const app = await withoutAlice()
  await expect(runCommand(app, 'create', 'Alice', 'thief@example.com')).rejects.toThrow('already registered')
})

test('the name of a user whom the command deleted stays taken, and so do earlier ones', async () => {
  const app = await withoutAlice()
  for (const name of ['bob', 'carol']) {
    await register(app, name)
    await runCommand(app, 'delete', name, '--yes')
  }
  for (const name of ['alice', 'bob', 'carol'])
    expectProblem(await registerAs(app, name), 'already_registered')
})

test('a deletion that fails leaves the name to its user', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const user = await app.accounts.users.findById(id)
  const failed = new Error('disk full')
  const work = app.db.transaction(async (tx) => {
    if (user) await app.accounts.deleteUser(tx, user)
    throw failed
  })
  await expect(work).rejects.toBe(failed)
  expect(await app.db.read.$count(retiredNames)).toBe(0)
  await logIn(app)
})

// With a key that is the same everywhere, a list of names would reveal who was deleted, and where else.
test('what stays reveals no name, and differs between services', async () => {
  const stored = async () => (await withoutAlice()).db.read.select().from(retiredNames)
  const [one, other] = [await stored(), await stored()]
  expect(one).toHaveLength(2)
  expect(JSON.stringify(one)).not.toMatch(/alice/i)
  const texts = (rows: typeof one) => rows.flatMap(({ hash, key }) => [hash, key ?? []].flat())
  expect(texts(one).filter((text) => texts(other).includes(text))).toEqual(['key'])
})
