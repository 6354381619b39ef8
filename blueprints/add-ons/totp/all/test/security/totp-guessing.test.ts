import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { post } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { codeOf, mfaToken, registerWithTotp, sendTotp, setUp } from '../support/totp.ts'

// listmonk; Vikunja CVE-2026-123521: the endpoint that turns the factor off took as many guesses as one liked.
test('ten wrong codes an hour are counted over all endpoints, then the right one is refused everywhere', async () => {
  const app = await createTestApp()
  const { secret, accessToken } = await registerWithTotp(app)
  const wrong = codeOf(app, secret, 9)
  const disable = (body: object) => post(app, 'totp/disable', body, accessToken)
  for (let time = 0; time < 3; time += 1) expectProblem(await sendTotp(app, wrong), 'wrong_mfa_code')
  for (let time = 0; time < 3; time += 1) expectProblem(await disable({ code: wrong }), 'invalid_code')
  for (let time = 0; time < 2; time += 1)
    expectProblem(await disable({ recovery_code: 'AAAAA-BBBBB' }), 'invalid_code')
  for (let time = 0; time < 2; time += 1)
    expectProblem(await post(app, 'recovery-codes', { code: wrong }, accessToken), 'invalid_code')
  const code = codeOf(app, secret)
  expectProblem(await sendTotp(app, code), 'too_many_requests')
  expectProblem(await disable({ code }), 'too_many_requests')
  expectProblem(await post(app, 'recovery-codes', { code }, accessToken), 'too_many_requests')
})

test('the codes of an app that is set up count too', async () => {
  const app = await createTestApp()
  const { secret, accessToken } = await registerWithTotp(app)
  await post(app, 'totp/disable', { code: codeOf(app, secret) }, accessToken)
  const next = await setUp(app, accessToken)
  const confirm = (code: string) =>
    post(app, 'totp/confirm', { code, emailed_token: 'AAAA-BBBB' }, accessToken)
  for (let time = 0; time < 10; time += 1)
    expectProblem(await confirm(codeOf(app, next.secret, 9)), 'invalid_code')
  expectProblem(await confirm(codeOf(app, next.secret)), 'too_many_requests')
})

test('parallel guesses at two instances cannot exceed the limit', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  const peer = await createTestApp({}, false, { db: app.db, now: app.now })
  const tokens: string[] = []
  for (let time = 0; time < 20; time += 1) tokens.push(await mfaToken(app))
  const code = codeOf(app, secret, 9)
  const responses = await Promise.all(
    tokens.map((mfa_token, at) => post(at % 2 === 0 ? app : peer, 'mfa', { mfa_token, code })),
  )
  expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10)
  expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10)
})
