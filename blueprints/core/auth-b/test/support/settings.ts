import { type Config, loadConfig } from '../../src/config.ts'

/** The settings of the tests. All others have their defaults. */
export const testSettings = {
  JWT_SECRET_KEY: 'a-secret-that-only-the-tests-of-this-service-use',
}

/** The names of these settings in this profile. */
export const settingNames = {
  secret: 'JWT_SECRET_KEY',
  previousSecrets: 'JWT_SECRET_KEY_PREVIOUS',
  algorithm: 'JWT_ALGORITHM',
}

/** The claim of an access token that carries the username. */
export const usernameClaim = 'sub'

/** The weakest hashes that the service accepts. */
export const realHashes = { ARGON2_MEMORY_KIB: '19456', ARGON2_TIME_COST: '2' }

/**
 * The configuration of a test's app. Unless `env` sets the cost, hashes are weaker than any setting allows: most tests
 * do not depend on them.
 */
export function testConfig(env: Record<string, string>): Config {
  const config = loadConfig({ ...testSettings, ...env })
  if ('ARGON2_MEMORY_KIB' in env) return config
  return {
    ...config,
    credentials: { ...config.credentials, argon2: { memoryCost: 64, timeCost: 1, parallelism: 1 } },
  }
}
