import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { testSettings } from '../support/settings.ts'

// After a leak of the database, an attacker could guess weaker passwords or hashes.
test.each([{ PASSWORD_MIN_LENGTH: '7' }, { ARGON2_MEMORY_KIB: '19455' }, { ARGON2_TIME_COST: '1' }])(
  'a weaker setting is rejected: %o',
  (env) => {
    expect(() => loadConfig({ ...testSettings, ...env })).toThrow(/ must be a whole number from /)
  },
)
