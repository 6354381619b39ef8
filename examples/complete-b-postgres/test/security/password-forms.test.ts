import { expect, test } from 'vitest'
import { logIn, password, register, tryLogIn } from '../accounts.ts'
import { createTestApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

test.each([
  ['registered composed, typed decomposed', 'NFC', 'NFD'],
  ['registered decomposed, typed composed', 'NFD', 'NFC'],
])('the same letters are the same password on every keyboard: %s', async (_case, registered, typed) => {
  const app = await createTestApp()
  const text = 'Crème-Brûlée-7'
  await register(app, 'alice', text.normalize(registered))
  await logIn(app, 'alice', text.normalize(typed))
})

test('letters that only look alike make another password', async () => {
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

test('length counts characters: an emoji is one, a letter with its accent is one', async () => {
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
