import { expect, test } from 'vitest'
import { logIn, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

test.each([
  ['registered composed, typed decomposed', 'NFC', 'NFD'],
  ['registered decomposed, typed composed', 'NFD', 'NFC'],
])('composed and decomposed letters are the same password: %s', async (_case, registered, typed) => {
  const app = await createTestApp()
  const text = 'Crème-Brûlée-7'
  await register(app, 'alice', text.normalize(registered))
  await logIn(app, 'alice', text.normalize(typed))
})

test('look-alike letters are a different password', async () => {
  const app = await createTestApp()
  await register(app, 'alice', password)
  for (const lookAlike of [
    '\uff23orrect-Horse-7',
    'C\u043errect-Horse-7',
    'correct-horse-7',
    ` ${password}`,
    `${password} `,
  ])
    expectProblem(await tryLogIn(app, 'alice', lookAlike), 'invalid_credentials')
})

test('an emoji and an accented letter each count as one character', async () => {
  const app = await createTestApp()
  const send = (given: string) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      body: { username: 'alice', email: 'alice@example.com', password: given },
    })
  for (const seven of ['Aa1-👍👍👍', 'Aa1-e\u0301e\u0301e\u0301']) {
    const { title } = expectProblem(await send(seven), 'weak_password')
    expect(title).toBe('Password must be at least 8 characters')
  }
  expect((await send('Aa1-👍👍👍👍')).statusCode).toBe(201)
})
