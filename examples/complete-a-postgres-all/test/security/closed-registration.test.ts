import { expect, test } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { users } from '../../src/db/schema/users.ts'
import { password, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const send = (app: TestApp, username: string) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    body: { username, email: `${username}@example.com`, password },
  })

test('while registration is closed, only the command creates users', async () => {
  const app = await createTestApp({ REGISTRATION_ENABLED: 'false' })
  expectProblem(await send(app, 'alice'), 'registration_closed')
  expect(await app.db.read.$count(users)).toBe(0)
  const { db, config, log, now } = app
  const context = { db, config, log, now, readPassword: async () => password }
  await runUserCommand(await loadUserCommands(), ['create', 'alice', 'alice@example.com'], context)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  // The same for known and unknown names.
  expectProblem(await send(app, 'alice'), 'registration_closed')
})
