import { expect, test } from 'vitest'
import { logIn, putMe, readUser } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { refresh, registerVerified, startSession, tokensIn } from '../support/flows.ts'

const email = 'thief@example.com'

/** A session that has asked for another address. */
async function asked() {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const { id } = await registerVerified(app)
  const session = await startSession(app)
  await putMe(app, session.accessToken, { email })
  return { app, session, pending: async () => (await readUser(app, id)).pendingEmail }
}

// A request must not outlive the session of the thief who made it.
test('the replay of a refresh token cancels the request of its session', async () => {
  const { app, session, pending } = await asked()
  const second = tokensIn(await refresh(app, session.refreshToken))
  await refresh(app, second.refreshToken)
  expect(await pending()).toBe(email)
  await refresh(app, session.refreshToken)
  expect(await pending()).toBe(null)
})

test('the login that ends the oldest session cancels its request', async () => {
  const { app, pending } = await asked()
  for (let login = 0; login < 49; login += 1) await logIn(app)
  expect(await pending()).toBe(email)
  await logIn(app)
  expect(await pending()).toBe(null)
})

test('the end of another session cancels nothing', async () => {
  const { app, pending } = await asked()
  const other = await startSession(app)
  const second = tokensIn(await refresh(app, other.refreshToken))
  await refresh(app, second.refreshToken)
  await refresh(app, other.refreshToken)
  expect(await pending()).toBe(email)
})
