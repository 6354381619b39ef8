import { expect, test } from 'vitest'
import { deleteMe, getExport } from '../support/account-data.ts'
import { changeUser, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { registerVerified, startSession, verify } from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const createApp = () => createTestApp({ LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' })

test('after a mistyped address, an administrator deletes the user, who registers with another username', async () => {
  const app = await createApp()
  const body = { email: 'alise@example.com', username: 'alice', password }
  await app.inject({ method: 'POST', url: '/api/v1/auth/register', body })
  const send = (username: string) => {
    const again = { ...body, username, email: 'alice@example.com' }
    return app.inject({ method: 'POST', url: '/api/v1/auth/register', body: again })
  }
  // The password of the first registration is no proof: who guesses it would take the name over.
  expectProblem(await send('alice'), 'already_registered')
  await runCommand(app, 'delete', 'alice', '--yes')
  expectProblem(await send('alice'), 'already_registered')
  expect((await send('alice2')).statusCode).toBe(201)
  await verify(app, await emailedToken(app, 'verification'))
  expect((await tryLogIn(app, 'alice2', password)).statusCode).toBe(200)
})

// A session from before the setting: the address was never proved.
test('a session of an unverified user neither exports nor deletes the account', async () => {
  const app = await createApp()
  const { id } = await registerVerified(app)
  const { accessToken } = await startSession(app)
  await changeUser(app, id, { isVerified: false })
  expectProblem(await getExport(app, accessToken), 'user_not_verified')
  expectProblem(await deleteMe(app, accessToken, { current_password: password }), 'user_not_verified')
  await changeUser(app, id, { isVerified: true })
  expect((await getExport(app, accessToken)).statusCode).toBe(200)
})
