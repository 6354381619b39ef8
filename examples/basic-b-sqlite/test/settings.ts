import { type Config, loadConfig } from '../src/config.ts'

/** What the tests run with; everything else has its default. */
export const testSettings = {
  JWT_SECRET_KEY: 'a-secret-that-only-the-tests-of-this-service-use',
}

/** What these settings are called in this service. */
export const settingNames = {
  secret: 'JWT_SECRET_KEY',
  previousSecrets: 'JWT_SECRET_KEY_PREVIOUS',
  algorithm: 'JWT_ALGORITHM',
}

/** Profile A: what it says of a user in an access token, and the setting that lets such a token in. */
export const formerProfile = {
  until: 'PROFILE_A_TOKENS_UNTIL',
  claims: (_config: Config, id: number, username: string) => ({ user_id: id, username }),
}

/** The claim of an access token that carries the username. */
export const usernameClaim = 'sub'

/** The cheapest hashes that the service accepts. */
export const realHashes = { ARGON2_MEMORY_KIB: '19456', ARGON2_TIME_COST: '2' }

/**
 * The configuration of a test's app. Hashes are cheaper than any setting allows, where `env` does not ask for others:
 * most tests are about something else.
 */
export function testConfig(env: Record<string, string>): Config {
  const config = loadConfig({ ...testSettings, ...env })
  if ('ARGON2_MEMORY_KIB' in env) return config
  return {
    ...config,
    credentials: { ...config.credentials, argon2: { memoryCost: 64, timeCost: 1, parallelism: 1 } },
  }
}
