import { expect, test } from 'vitest'
import { getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { sign, takeApart } from '../support/forge.ts'
import { expectProblem } from '../support/problem.ts'

// Such a token was issued when the service had mode complete, or by an instance that still has it.
test.each([1, '1', null])('a token of a session, which may have ended, is refused: sid %j', async (sid) => {
  const app = await createTestApp()
  await register(app)
  const { header, payload } = takeApart(await logIn(app))
  const { secret } = app.config.accessTokens
  expect((await getMe(app, sign(header, payload, secret))).statusCode).toBe(200)
  expectProblem(await getMe(app, sign(header, { ...payload, sid }, secret)), 'invalid_token')
})
