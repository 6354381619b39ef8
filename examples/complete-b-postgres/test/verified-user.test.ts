import { expect, test } from 'vitest'
import { bearer, changeUser, logIn, register } from './accounts.ts'
import { createTestApp } from './app.ts'
import { verify } from './flows.ts'
import { mailedToken } from './mailbox.ts'
import { expectProblem } from './problem.ts'

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

test('a user without a confirmed address is told so', async () => {
  const { get } = await appForVerifiedUsers()
  expectProblem(await get(), 'user_not_verified')
})

test('the access token that he has is enough as soon as he is verified, and no longer when he is not', async () => {
  const { app, id, get } = await appForVerifiedUsers()
  await verify(app, await mailedToken(app, 'verification'))
  expect((await get()).json()).toEqual({ name: 'alice' })
  await changeUser(app, id, { isVerified: false })
  expectProblem(await get(), 'user_not_verified')
})

test('whoever has no token is asked for one first', async () => {
  const { app, get } = await appForVerifiedUsers()
  expectProblem(await app.inject({ url: '/verified' }), 'not_authenticated')
  expectProblem(await get(bearer('not-a-token')), 'invalid_token')
})
