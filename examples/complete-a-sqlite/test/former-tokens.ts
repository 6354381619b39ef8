import { logIn, register } from './accounts.ts'
import { createTestApp, type TestApp } from './app.ts'
import { sign, takeApart } from './security/forge.ts'
import { formerProfile } from './settings.ts'

/** A moment an hour after that at which the clock of a test begins. */
export const inAnHour = '2026-01-01T13:00:00Z'

/** A token that alice got while the service was one of the other profile. `change` changes its claims. */
export async function formerToken(
  app: TestApp,
  change: object = {},
  secret = app.config.accessTokens.secret,
) {
  const { header, payload } = takeApart(await logIn(app))
  // Beside the claims that the profiles name differently all are the same.
  const { iat, exp, jti, sid } = payload
  const claims = formerProfile.claims(app.config, payload.user_id, 'alice')
  return sign(header, { ...claims, iat, exp, jti, ...(sid !== undefined && { sid }), ...change }, secret)
}

/** An app that accepts tokens of the other profile for an hour, with the user alice. */
export async function switchedApp(env: Record<string, string> = {}) {
  const app = await createTestApp({ [formerProfile.until]: inAnHour, ...env })
  const { id } = await register(app)
  return { app, id }
}
