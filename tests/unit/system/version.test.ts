import { describe, expect, it } from 'vitest'
import { compareVersions, isInRange, isRange } from '../../../src/system/version.ts'

describe('compareVersions', () => {
  it.each([
    ['0.1.0', '0.2.0', -1],
    ['0.10.0', '0.9.9', 1],
    ['1.0.0', '0.99.99', 1],
    ['0.2.0', '0.2.0', 0],
    ['0.2.0-rc.1', '0.2.0', 0],
  ])('%s and %s', (one, other, sign) => {
    expect(Math.sign(compareVersions(one, other))).toBe(sign)
  })
})

describe('isInRange', () => {
  it.each([
    ['0.1.0', '>=0.1.0 <0.2.0', true],
    ['0.1.9', '>=0.1.0 <0.2.0', true],
    ['0.2.0', '>=0.1.0 <0.2.0', false],
    ['0.0.9', '>=0.1.0 <0.2.0', false],
    ['0.2.0', '<=0.2.0', true],
    ['0.2.1', '>0.2.0', true],
    ['0.2.0', '>0.2.0', false],
    ['0.2.0', '=0.2.0', true],
    ['0.2.1', '=0.2.0', false],
  ])('%s in %s: %s', (version, range, isIn) => {
    expect(isInRange(version, range)).toBe(isIn)
  })

  it.each(['', '0.2', '^0.1.0', '>=0.1.0  <0.2.0', '<0.2.0 || >1.0.0', '*'])('%j is no range', (text) => {
    expect(isRange(text)).toBe(false)
  })
})
