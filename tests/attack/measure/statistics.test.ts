import { expect, test } from 'vitest'
import { areaUnderCurve, percentile, shareOf } from './statistics.js'

test.each([
  ['above the other', [4, 5, 6], [1, 2, 3], 1],
  ['below the other', [1, 2, 3], [4, 5, 6], 0],
  ['the same', [1, 2, 2, 3], [1, 2, 2, 3], 0.5],
  ['above in three of four pairs', [2, 4], [1, 3], 0.75],
])('the area under the curve of a sample that is %s', (_case, sample, other, expected) => {
  expect(areaUnderCurve(sample, other).value).toBe(expected)
})

test('the intervals of a thousand samples are narrower than the goals', () => {
  const values = Array.from({ length: 1000 }, (_, index) => index)
  expect(areaUnderCurve(values, values).error).toBeCloseTo(0.025, 3)
  expect(shareOf(500, 1000)).toEqual({ value: 0.5, error: expect.closeTo(0.031, 3) })
})

test.each([
  [0.5, 51],
  [0.99, 100],
  [1, 100],
])('percentile %d of 1 to 100', (rank, expected) => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(percentile(values, rank)).toBe(expected)
})
