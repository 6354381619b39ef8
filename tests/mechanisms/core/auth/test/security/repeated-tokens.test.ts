import { expect, test } from 'vitest'
import { getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { encode, takeApart } from '../support/forge.ts'
import { expectProblem } from '../support/problem.ts'

// The signature of a token that was accepted is not computed again.
async function acceptedToken() {
  const app = await createTestApp()
  const { id } = await register(app)
  const token = await logIn(app)
  for (const _time of [1, 2]) expect((await getMe(app, token)).statusCode).toBe(200)
  return { app, id, token }
}

test('a token that was accepted before expires like any other', async () => {
  const { app, token } = await acceptedToken()
  app.clock.advance(24 * 60 * 60)
  expectProblem(await getMe(app, token), 'token_expired')
})

test('a change to any part of a token that was accepted before is refused', async () => {
  const { app, id, token } = await acceptedToken()
  const { header, payload, parts } = takeApart(token)
  const [head, body, signature] = parts
  const changed = [
    `${head}.${body}.${signature.slice(0, -4)}AAAA`,
    `${head}.${encode({ ...payload, user_id: id + 1 })}.${signature}`,
    `${encode({ ...header, kid: '1' })}.${body}.${signature}`,
    `${head}.${body}.`,
  ]
  for (const forged of changed) expectProblem(await getMe(app, forged), 'invalid_token')
  expect((await getMe(app, token)).statusCode).toBe(200)
})

test('no request can change the claims that the next one with the same token gets', async () => {
  const { app, token } = await acceptedToken()
  const { accessTokens } = app.ctx
  const { payload } = accessTokens.verify(token)
  expect(() => Object.assign(payload, { user_id: 4711 })).toThrow(TypeError)
  expect(accessTokens.verify(token).payload).toEqual(payload)
})
