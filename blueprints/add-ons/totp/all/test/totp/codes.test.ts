import { expect, test } from 'vitest'
import { base32, codeAt, stepOf } from '../../src/totp/codes.ts'

const bytes = Buffer.from('12345678901234567890')
const secret = base32(bytes)

// RFC 6238 appendix B, SHA1: the last six of eight digits.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at second %i the code is %s', (second, code) => {
  expect(codeAt(secret, Math.floor(second / 30))).toBe(code)
  expect(stepOf(secret, code, second * 1000)).toBe(Math.floor(second / 30))
})

// RFC 4648 section 10.
test('base32 is that of the standard', () => {
  expect(base32(Buffer.from('fooba'))).toBe('MZXW6YTB')
  expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
})

test('one step of drift is accepted either way, and no more', () => {
  const now = 1_234_567_890_000
  const step = Math.floor(now / 30_000)
  const found = [-2, -1, 0, 1, 2].map((drift) => stepOf(secret, codeAt(secret, step + drift), now))
  expect(found).toEqual([undefined, step - 1, step, step + 1, undefined])
})

test.each(['', '12345', '1234567', '28708２', '287 082 1', 'abcdef'])('%j is no code', (code) => {
  expect(stepOf(secret, code, 59_000)).toBeUndefined()
})

test('a code may have a space, as some apps show it', () => {
  expect(stepOf(secret, '287 082', 59_000)).toBe(1)
})
