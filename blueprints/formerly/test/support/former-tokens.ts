import type { Config } from '../../src/config.ts'
import { logIn, register } from './accounts.ts'
import { createTestApp, type TestApp } from './app.ts'
import { sign, takeApart } from './forge.ts'
import { formerProfile } from './former-profile.ts'

/** One hour after the initial time of the test clock. */
export const inAnHour = '2026-01-01T13:00:00Z'

/** The claims of the former profile. Not every profile uses the settings. */
const claimsOf: (id: number, username: string, settings: Config['accessTokens']) => object =
  formerProfile.claims

/** Creates a token of alice from the former profile. `change` overrides claims. */
export async function formerToken(
  app: TestApp,
  change: object = {},
  secret = app.config.accessTokens.secret,
) {
  const { header, payload } = takeApart(await logIn(app))
  // These claims are the same in both profiles.
  const { iat, exp, jti, sid } = payload
  const claims = claimsOf(payload.user_id, 'alice', app.config.accessTokens)
  return sign(header, { ...claims, iat, exp, jti, ...(sid !== undefined && { sid }), ...change }, secret)
}

/** Creates an app with the user alice that accepts tokens of the former profile for an hour. */
export async function switchedApp(env: Record<string, string> = {}) {
  const app = await createTestApp({ [formerProfile.until]: inAnHour, ...env })
  const { id } = await register(app)
  return { app, id }
}
