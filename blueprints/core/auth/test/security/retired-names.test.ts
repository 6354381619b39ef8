import { expect, test } from 'vitest'
import { retiredNames } from '../../src/db/schema/retired-names.ts'
import { users } from '../../src/db/schema/users.ts'
import { comparable, readUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { expectProblem } from '../support/problem.ts'
import { deleteAndRetire, registerAs } from '../support/retired-names.ts'

// Other services may know a user by the username in access tokens. They would take a new user of this name for the
// deleted one.

async function registerAndDelete(app: TestApp, username: string) {
  const user = await readUser(app, (await register(app, username)).id)
  await app.db.transaction((tx) => deleteAndRetire(tx, user))
}

async function withoutAlice() {
  const app = await createTestApp()
  await registerAndDelete(app, 'alice')
  return app
}

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
  expect(await runCommand(app, 'list', '--search', 'alice')).toBe('No users.')
})

test('a name stays taken after the next deletion', async () => {
  const app = await withoutAlice()
  for (const name of ['bob', 'carol']) await registerAndDelete(app, name)
  for (const name of ['alice', 'bob', 'carol'])
    expectProblem(await registerAs(app, name), 'already_registered')
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
