import { type Config, loadConfig } from '../src/config.ts'

/** What the tests run with; everything else has its default. */
export const testSettings = {
  SECRET_KEY: 'a-secret-that-only-the-tests-of-this-service-use',
}

/** What these settings are called in this service. */
export const settingNames = {
  secret: 'SECRET_KEY',
  previousSecrets: 'SECRET_KEY_PREVIOUS',
  algorithm: 'ALGORITHM',
}

/** Profile B: what it says of a user in an access token, and the setting that lets such a token in. */
export const formerProfile = {
  until: 'PROFILE_B_TOKENS_UNTIL',
  claims: ({ accessTokens }: Config, id: number, username: string) => ({
    sub: username,
    user_id: id,
    iss: accessTokens.formerIssuer,
    aud: accessTokens.formerAudience,
    token_type: 'access',
  }),
}

/** The claim of an access token that carries the username. */
export const usernameClaim = 'username'

/** The cheapest hashes that the service accepts. */
export const realHashes = { BCRYPT_COST: '10' }

/**
 * The configuration of a test's app. Hashes are cheaper than any setting allows, where `env` does not ask for others:
 * most tests are about something else.
 */
export function testConfig(env: Record<string, string>): Config {
  const config = loadConfig({ ...testSettings, ...env })
  if ('BCRYPT_COST' in env) return config
  return { ...config, credentials: { ...config.credentials, bcryptCost: 4 } }
}
