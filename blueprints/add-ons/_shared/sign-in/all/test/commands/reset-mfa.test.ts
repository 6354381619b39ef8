import { expect, test } from 'vitest'
import { getMe, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { tokensIn } from '../support/flows.ts'
import { addFactor, pendingIn, registerWithFactor, sendCode } from '../support/made-up-factor.ts'
import { emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

test('reset-mfa removes all factors, ends all sessions, and tells the user', async () => {
  const app = await createTestApp()
  const owners = addFactor()
  await registerWithFactor(app, owners)
  const { mfa_token } = pendingIn(await tryLogIn(app, 'alice', password))
  const { accessToken } = tokensIn(await sendCode(app, mfa_token))

  const line = await runCommand(app, 'reset-mfa', 'alice')
  expect(line).toBe('User alice has no second factor any more, and no session.')
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expect(owners.size).toBe(0)
  expect((await emailsTo(app)).at(-1)?.template).toBe('factor_removed')
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
})
