import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { post, registerVerified, startSession } from '../support/flows.ts'
import { emailedCode } from '../support/made-up-factor.ts'
import { expectProblem } from '../support/problem.ts'
import { codeOf, mfaToken, registerWithTotp, sendTotp, setUp } from '../support/totp.ts'

// listmonk; Vikunja CVE-2026-123521: the endpoint that turns the factor off took as many guesses as one liked.
test('twenty wrong codes a day are counted over all endpoints, then the right one is refused everywhere', async () => {
  const app = await createTestApp()
  const { secret, accessToken } = await registerWithTotp(app)
  const wrong = codeOf(app, secret, 9)
  const disable = (code: string) => post(app, 'totp/disable', { code }, accessToken)
  const renew = (code: string) => post(app, 'recovery-codes', { code }, accessToken)
  for (let time = 0; time < 8; time += 1) expectProblem(await sendTotp(app, wrong), 'wrong_mfa_code')
  for (let time = 0; time < 6; time += 1) expectProblem(await disable(wrong), 'invalid_code')
  for (let time = 0; time < 6; time += 1) expectProblem(await renew(wrong), 'invalid_code')
  const code = codeOf(app, secret)
  for (const response of [await sendTotp(app, code), await disable(code), await renew(code)])
    expect(response.statusCode).toBe(429)
})

test('the codes of an app that is set up count too, after what was emailed', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const { secret } = await setUp(app, accessToken)
  const confirm = (code: string, emailed_token?: string) =>
    post(app, 'totp/confirm', { code, emailed_token }, accessToken)
  await confirm('')
  const emailed = await emailedCode(app)
  const wrong = codeOf(app, secret, 9)
  for (let time = 0; time < 21; time += 1)
    expectProblem(await confirm(wrong, 'AAAA-BBBB'), 'invalid_or_expired_token')
  for (let time = 0; time < 20; time += 1) expectProblem(await confirm(wrong, emailed), 'invalid_code')
  expect((await confirm(codeOf(app, secret), emailed)).statusCode).toBe(429)
})

test('confirming an app is passing it: the client has a count of its own from then on', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  const fromStranger = async (code: string) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/mfa',
      remoteAddress: '198.51.100.9',
      body: { mfa_token: await mfaToken(app), code },
    })
  for (let time = 0; time < 20; time += 1) await fromStranger(codeOf(app, secret, 9))
  expect((await fromStranger(codeOf(app, secret))).statusCode).toBe(429)
  const confirmedFrom = await post(app, 'mfa', { mfa_token: await mfaToken(app), code: codeOf(app, secret) })
  expect(confirmedFrom.statusCode).toBe(200)
})

test('parallel guesses at two instances cannot exceed the limit', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  const peer = await createTestApp({}, false, { db: app.db, now: app.now })
  const tokens: string[] = []
  for (let time = 0; time < 25; time += 1) tokens.push(await mfaToken(app))
  const code = codeOf(app, secret, 9)
  const responses = await Promise.all(
    tokens.map((mfa_token, at) => post(at % 2 === 0 ? app : peer, 'mfa', { mfa_token, code })),
  )
  expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(20)
  expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(5)
})
