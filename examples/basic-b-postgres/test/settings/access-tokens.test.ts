import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { settingNames, testSettings } from '../support/settings.ts'

const load = (env: Record<string, string | undefined>) => () => loadConfig({ ...testSettings, ...env })
const { secret, previousSecrets, algorithm } = settingNames

describe('the service does not start', () => {
  test.each([
    ['without a secret', undefined, 'is missing'],
    ['with an empty one', '', 'is missing'],
    [
      'with the placeholder of .env.example',
      'change-me-to-32-random-bytes-or-more',
      'is still the placeholder',
    ],
    ['with a placeholder in another case', 'CHANGEME-CHANGEME-CHANGEME-CHANGEME', 'is still the placeholder'],
    [
      'with the placeholder of the documentation',
      '<a secret of 32 random bytes or more>',
      'is still the placeholder',
    ],
    ['with 31 bytes', 'a'.repeat(31), 'must be at least 32 bytes long'],
  ])('%s', (_case, value, reason) => {
    expect(load({ [secret]: value })).toThrow(new RegExp(`^${secret} ${reason}.*openssl rand -base64 32$`))
  })

  test('with a bad former secret', () => {
    expect(load({ [previousSecrets]: `${'a'.repeat(32)},short` })).toThrow(
      new RegExp(`^${previousSecrets}[^\\n]* must be at least 32 bytes long`),
    )
  })

  test.each(['none', 'RS256', 'hs256', 'HS1'])('with the algorithm %s', (value) => {
    expect(load({ [algorithm]: value })).toThrow(`${algorithm} must be one of HS256, HS384, HS512`)
  })
})

test.each(['a'.repeat(32), 'é'.repeat(16)])('32 bytes are enough: %s', (value) => {
  expect(load({ [secret]: value })).not.toThrow()
})
