import { expect, test } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { getMe, readUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { newPassword, refresh, requestReset, resetPassword, startSession, verify } from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'
import { storedSessions } from '../support/stored.ts'

/** Runs `npm run user -- …` on the app's database. */
const user = async ({ ctx }: TestApp, ...line: string[]) =>
  runUserCommand(await loadUserCommands(), line, { ...ctx, readPassword: async () => newPassword })

test('verify marks an address as verified', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  expect(await user(app, 'verify', 'alice')).toBe('User alice is verified.')
  expect((await readUser(app, id)).isVerified).toBe(true)
  await expect(user(app, 'verify', 'nobody')).rejects.toThrow('There is no user "nobody".')
})

test.each(['deactivate', 'password', 'end-sessions'])(
  '%s revokes all sessions and emailed tokens permanently',
  async (command) => {
    const app = await createTestApp()
    await register(app)
    await register(app, 'bob')
    const { accessToken, refreshToken } = await startSession(app)
    const bob = await startSession(app, 'bob')
    const tokens = { verification: await emailedToken(app, 'verification'), reset: await requestReset(app) }

    await user(app, command, 'alice')
    await user(app, 'activate', 'alice')

    expectProblem(await getMe(app, accessToken), 'invalid_token')
    expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
    expectProblem(await verify(app, tokens.verification), 'invalid_or_expired_token')
    expectProblem(await resetPassword(app, tokens.reset), 'invalid_or_expired_token')
    expect(await storedSessions(app)).toHaveLength(1)
    expect((await getMe(app, bob.accessToken)).statusCode).toBe(200)
  },
)
