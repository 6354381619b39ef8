/** With a wider spread, a median says more about the machine than about the program. */
const WIDEST_SPREAD = 0.1

/** With less of a core, bare Fastify waits for the machine or the load generator, and every ratio is too high. */
const LEAST_CORE = 0.8

/**
 * What one program did in one round.
 * @typedef {object} Sample
 * @property {number} perSecond answers per second
 * @property {number} ratio to the answers of bare Fastify in the same round
 * @property {number | undefined} core the share of a core that the program used, on Linux
 */

/** @typedef {{ name: string, goal?: number | undefined, samples: Sample[] }} Row the first row is bare Fastify */

/**
 * @typedef {object} Judged
 * @property {string} name
 * @property {number} perSecond answers per second
 * @property {number} ratio
 * @property {number} low the lowest ratio of a round
 * @property {number} high the highest
 * @property {number} spread the middle half of the ratios, relative to their median
 * @property {number} core the share of a core that it used; NaN where that is unknown
 * @property {number} cpuRatio the same ratio in answers per second of CPU; NaN where that is unknown
 * @property {string} verdict empty if nothing was promised
 * @property {boolean} isRefused whether the machine kept the row from a verdict
 */

/** @param {number[]} [values] */
export function median(values = []) {
  return quantile(values, 0.5)
}

/**
 * Summarizes each row by medians, and refuses a verdict where the machine decided more than the program.
 * @param {Row[]} rows
 * @returns {Judged[]}
 */
export function judge(rows) {
  const bare = rows[0]?.samples ?? []
  const bareCore = median(bare.map(({ core }) => core ?? 1))
  return rows.map(({ name, goal, samples }, number) => {
    const ratios = samples.map(({ ratio }) => ratio)
    const ratio = median(ratios)
    const spread = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / ratio
    const refusal = number === 0 ? '' : refusalOf(bareCore, spread)
    const promise = goal === undefined ? '' : `${ratio < goal ? 'misses' : 'reaches'} ${goal.toFixed(2)}`
    return {
      name,
      perSecond: median(samples.map(({ perSecond }) => perSecond)),
      ratio,
      low: Math.min(...ratios),
      high: Math.max(...ratios),
      spread,
      core: median(samples.map(({ core }) => core ?? Number.NaN)),
      cpuRatio: median(
        samples.map(
          (sample, round) => (sample.ratio * (bare[round]?.core ?? Number.NaN)) / (sample.core ?? Number.NaN),
        ),
      ),
      verdict: refusal || promise,
      isRefused: refusal !== '',
    }
  })
}

/**
 * Why a ratio says nothing about the program; empty if it does.
 * @param {number} bareCore
 * @param {number} spread
 */
function refusalOf(bareCore, spread) {
  if (bareCore < LEAST_CORE) return 'machine too busy to judge'
  return spread > WIDEST_SPREAD ? 'spread too wide to judge' : ''
}

/**
 * The rows as lines of text, below a heading.
 * @param {Judged[]} rows
 * @returns {string[]}
 */
export function tableOf(rows) {
  const cells = rows.map(({ name, perSecond, ratio, low, high, spread, core, cpuRatio, verdict }) => [
    name,
    perSecond.toFixed(0),
    ratio.toFixed(3),
    `${low.toFixed(3)}–${high.toFixed(3)}`,
    `${(100 * spread).toFixed(1)} %`,
    known(core, 2),
    known(cpuRatio, 3),
    verdict,
  ])
  const heading = ['', 'answers/s', 'ratio', 'lowest–highest', 'spread', 'cores', 'ratio per CPU', '']
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...cells].map((line) => line[column]?.length ?? 0)),
  )
  return [heading, ...cells].map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** @param {number} value @param {number} digits */
function known(value, digits) {
  return Number.isNaN(value) ? 'unknown' : value.toFixed(digits)
}

/**
 * @param {number[]} values
 * @param {number} share 0 to 1. Between two values, the result is interpolated
 */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  const position = share * (sorted.length - 1)
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position % 1)
}
