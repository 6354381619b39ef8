import { expect, test } from 'vitest'
import { deleteMe, getExport } from '../support/account-data.ts'
import { getMe, logIn, password, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

test('the export contains what the service knows about the user, and no hash', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  await register(app, 'bob')
  const token = await logIn(app)
  const response = await getExport(app, token)
  expect(response.statusCode).toBe(200)
  expect(response.json()).toMatchObject({ user: (await getMe(app, token)).json() })
  const { hashedPassword } = await readUser(app, id)
  for (const secret of [hashedPassword, hashedPassword.slice(-20), 'hashed', password, token, 'bob'])
    expect(response.body).not.toContain(secret)
})

test('only the user gets it', async () => {
  const app = await createTestApp()
  await register(app)
  const token = await logIn(app)
  expectProblem(await app.inject({ url: '/api/v1/users/me/export' }), 'not_authenticated')
  await deleteMe(app, token)
  expectProblem(await getExport(app, token), 'invalid_token')
})

test('a user exports ten times an hour', async () => {
  const app = await createTestApp()
  await register(app)
  const token = await logIn(app)
  for (let time = 0; time < 10; time++) expect((await getExport(app, token)).statusCode).toBe(200)
  expectProblem(await getExport(app, token), 'too_many_requests')
})
