import { type Config, loadConfig } from '../../src/config.ts'

/** The settings of the tests. All others have their defaults. */
export const testSettings = {
  SECRET_KEY: 'a-secret-that-only-the-tests-of-this-service-use',
}

/** The names of these settings in this profile. */
export const settingNames = {
  secret: 'SECRET_KEY',
  previousSecrets: 'SECRET_KEY_PREVIOUS',
  algorithm: 'ALGORITHM',
}

/** The claim of an access token that carries the username. */
export const usernameClaim = 'username'

/** The weakest hashes that the service accepts. */
export const realHashes = { BCRYPT_COST: '10' }

/**
 * The configuration of a test's app. Unless `env` sets the cost, hashes are weaker than any setting allows: most tests
 * do not depend on them.
 */
export function testConfig(env: Record<string, string>): Config {
  const config = loadConfig({ ...testSettings, ...env })
  if ('BCRYPT_COST' in env) return config
  return { ...config, credentials: { ...config.credentials, bcryptCost: 4 } }
}
