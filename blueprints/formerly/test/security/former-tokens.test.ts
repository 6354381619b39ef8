import { describe, expect, test } from 'vitest'
import { changeUser, getMe, logIn } from '../support/accounts.ts'
import { sign, takeApart } from '../support/forge.ts'
import { formerProfile } from '../support/former-profile.ts'
import { formerToken, inAnHour, switchedApp } from '../support/former-tokens.ts'
import { expectProblem } from '../support/problem.ts'
import { settingNames } from '../support/settings.ts'

describe('an access token from before the switch of the profile', () => {
  test('is accepted until the configured time, and no longer', async () => {
    const { app, id } = await switchedApp()
    app.clock.advance(59 * 60)
    const token = await formerToken(app)
    expect((await getMe(app, token)).json().id).toBe(id)
    app.clock.advance(60)
    expect(app.clock.now()).toBeGreaterThanOrEqual(Date.parse(inAnHour))
    expectProblem(await getMe(app, token), 'invalid_token')
    expect((await getMe(app, await logIn(app))).statusCode).toBe(200)
  })

  test('is refused if no time is set', async () => {
    const { app } = await switchedApp({ [formerProfile.until]: '' })
    expectProblem(await getMe(app, await formerToken(app)), 'invalid_token')
  })

  test('is refused after it expires', async () => {
    const { app } = await switchedApp()
    const token = await formerToken(app)
    app.clock.advance(31 * 60)
    expectProblem(await getMe(app, token), 'token_expired')
  })

  test('needs a listed secret and the configured algorithm', async () => {
    const former = 'the-former-secret-of-at-least-32-bytes'
    const { app } = await switchedApp({ [settingNames.previousSecrets]: former })
    expect((await getMe(app, await formerToken(app, {}, former))).statusCode).toBe(200)
    expectProblem(await getMe(app, await formerToken(app, {}, 'x'.repeat(32))), 'invalid_token')
    const { header, payload } = takeApart(await formerToken(app))
    const { secret } = app.config.accessTokens
    expectProblem(
      await getMe(app, sign({ ...header, alg: 'HS512' }, payload, secret, 'sha512')),
      'invalid_token',
    )
    expectProblem(await getMe(app, sign({ ...header, typ: 'JWT' }, payload, secret)), 'invalid_token')
  })

  test('is revoked when the user is deactivated', async () => {
    const { app, id } = await switchedApp()
    const token = await formerToken(app)
    await changeUser(app, id, { isActive: false })
    expectProblem(await getMe(app, token), 'invalid_token')
  })

  test.each([{ user_id: '1' }, { user_id: 4711 }, { exp: 2 ** 40 }, { iat: undefined }])(
    'is refused with the claims %j',
    async (change) => {
      const { app } = await switchedApp()
      expectProblem(await getMe(app, await formerToken(app, change)), 'invalid_token')
    },
  )
})

test.each(['tomorrow', '2026-01-31', '2026-01-31T12:00:00', '1767268800000'])(
  'the service does not start with the time %s',
  async (moment) => {
    await expect(switchedApp({ [formerProfile.until]: moment })).rejects.toThrow(
      `${formerProfile.until} must be a time such as`,
    )
  },
)
