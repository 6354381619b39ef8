/** A share of a whole, from 0 to 1, with half the width of its 95 % confidence interval. @typedef {{ value: number, error: number }} Estimate */

/**
 * The area under the ROC curve: how likely a value of one sample is above one of the other. 0.5 tells nothing about the
 * sample, 0 and 1 tell everything. The interval is that of the Mann-Whitney U test if both samples are alike.
 * @param {number[]} sample
 * @param {number[]} other
 * @returns {Estimate}
 */
export function areaUnderCurve(sample, other) {
  const sorted = [...other].sort((a, b) => a - b)
  const wins = sample.reduce(
    (sum, value) => sum + (countBelow(sorted, value) + countBelow(sorted, value, true)) / 2,
    0,
  )
  const pairs = sample.length * other.length
  return {
    value: wins / pairs,
    error: 1.96 * Math.sqrt((sample.length + other.length + 1) / (12 * pairs)),
  }
}

/**
 * How often something happened.
 * @param {number} times
 * @param {number} count of chances
 * @returns {Estimate}
 */
export function shareOf(times, count) {
  const value = times / count
  return { value, error: 1.96 * Math.sqrt((value * (1 - value)) / count) }
}

/**
 * How many values are below a value, or equal to it if `isEqualCounted`.
 * @param {number[]} sorted
 * @param {number} value
 */
function countBelow(sorted, value, isEqualCounted = false) {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const candidate = sorted[middle] ?? Number.NaN
    if (candidate < value || (isEqualCounted && candidate === value)) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * @param {number[]} values
 * @param {number} rank 0.5 for the median, 0.99 for what one of a hundred exceeds
 */
export const percentile = (values, rank) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * rank))] ??
  Number.NaN
