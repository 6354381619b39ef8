import { expect, test } from 'vitest'
import { bearer, changeUser, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { verify } from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

async function appForVerifiedUsers() {
  const app = await createTestApp()
  app.get('/verified', { onRequest: [app.requireUser, app.requireVerifiedUser] }, async (request) => ({
    name: request.user.username,
  }))
  const { id } = await register(app)
  const token = await logIn(app)
  const get = (headers = bearer(token)) => app.inject({ url: '/verified', headers })
  return { app, id, get }
}

test('an unverified user is refused', async () => {
  const { get } = await appForVerifiedUsers()
  expectProblem(await get(), 'user_not_verified')
})

test('changes of the verification take effect immediately, with the same access token', async () => {
  const { app, id, get } = await appForVerifiedUsers()
  await verify(app, await emailedToken(app, 'verification'))
  expect((await get()).json()).toEqual({ name: 'alice' })
  await changeUser(app, id, { isVerified: false })
  expectProblem(await get(), 'user_not_verified')
})

test('a missing or bad token is refused first', async () => {
  const { app, get } = await appForVerifiedUsers()
  expectProblem(await app.inject({ url: '/verified' }), 'not_authenticated')
  expectProblem(await get(bearer('not-a-token')), 'invalid_token')
})
