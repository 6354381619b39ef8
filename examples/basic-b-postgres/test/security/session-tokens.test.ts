import { expect, test } from 'vitest'
import { getMe, logIn, register } from '../accounts.ts'
import { createTestApp } from '../app.ts'
import { expectProblem } from '../problem.ts'
import { sign, takeApart } from './forge.ts'

// From the time when the service was one of mode complete, or from an instance that still is.
test.each([1, '1', null])('a token of a session is refused, which may have ended: sid %j', async (sid) => {
  const app = await createTestApp()
  await register(app)
  const { header, payload } = takeApart(await logIn(app))
  const { secret } = app.config.accessTokens
  expect((await getMe(app, sign(header, payload, secret))).statusCode).toBe(200)
  expectProblem(await getMe(app, sign(header, { ...payload, sid }, secret)), 'invalid_token')
})
