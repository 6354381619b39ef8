import { randomBytes } from 'node:crypto'
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
    ['with one byte, repeated', 'a'.repeat(32), 'must have at least 16 different bytes'],
    ['with 15 different bytes', 'ghijklmnopqrstu'.repeat(3), 'must have at least 16 different bytes'],
    [
      'with hexadecimal digits in order',
      '0123456789abcde'.repeat(5),
      'must have at least 16 different bytes',
    ],
  ])('%s', (_case, value, reason) => {
    expect(load({ [secret]: value })).toThrow(new RegExp(`^${secret} ${reason}.*openssl rand -base64 32$`))
  })

  test.each([
    ['short', 'must be at least 32 bytes long'],
    ['a'.repeat(32), 'must have at least 16 different bytes'],
  ])('with the bad former secret %s', (value, reason) => {
    const former = `${randomBytes(32).toString('base64')},${value}`
    expect(load({ [previousSecrets]: former })).toThrow(
      new RegExp(`^${previousSecrets}[^\\n]* ${reason}[^\\n]*$`),
    )
  })

  test.each(['none', 'PS256', 'hs256', 'HS1'])('with the algorithm %s', (value) => {
    expect(load({ [algorithm]: value })).toThrow(`${algorithm} must be one of HS256, HS384, HS512`)
  })
})

test.each(['abcdefghijklmnop'.repeat(2), 'éabcdefghijklmnop-no-more-bytes'])(
  '32 bytes with 16 different ones are enough: %s',
  (value) => {
    expect(load({ [secret]: value })).not.toThrow()
  },
)

test.each(['base64', 'base64url', 'hex'] as const)('32 random bytes in %s are accepted', (encoding) => {
  for (let time = 0; time < 100; time += 1)
    expect(load({ [secret]: randomBytes(32).toString(encoding) })).not.toThrow()
})
