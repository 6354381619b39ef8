/** With a wider interval, a median says more about the machine than about the program. */
const WIDEST = 0.1

/**
 * What one program did in one round.
 * @typedef {object} Sample
 * @property {number} perSecond answers per second
 * @property {number} [cpu] microseconds of processor time for each answer, on Linux
 * @property {number} [queries] for each answer, where PostgreSQL counts them
 * @property {number} [server] microseconds that PostgreSQL executes for each answer
 */

/** @typedef {{ name: string, goal?: number | undefined, samples: Sample[] }} Row the first row is what others are compared with */

/**
 * @typedef {object} Judged
 * @property {string} name
 * @property {number} perSecond answers per second
 * @property {number | undefined} cpu microseconds of processor time for each answer
 * @property {number} ratio answers for the same processor time, or for the same time where that is unknown
 * @property {number} low the lowest ratio of a round
 * @property {number} high the highest
 * @property {[number, number]} sure where the true median is, with 93 % and more
 * @property {number | undefined} queries
 * @property {number | undefined} server
 * @property {string} verdict empty if nothing was promised
 * @property {boolean} isRefused whether the machine kept the row from a verdict
 */

/** @param {number[]} [values] */
export function median(values = []) {
  const sorted = ascending(values)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** @param {number[]} values */
const ascending = (values) => [...values].sort((a, b) => a - b)

/**
 * Summarizes each row by medians, and refuses a verdict where the machine decided more than the program.
 * @param {Row[]} rows
 * @returns {Judged[]}
 */
export function judge(rows) {
  const first = rows[0]?.samples ?? []
  return rows.map(({ name, goal, samples }) => {
    const ratios = samples.map((sample, round) => ratioOf(sample, first[round]))
    const ratio = median(ratios)
    const sure = surely(ratios)
    const isRefused = sure[1] - sure[0] > WIDEST * ratio
    /** @param {'cpu' | 'queries' | 'server'} key */
    const known = (key) => {
      const values = samples.flatMap((sample) => sample[key] ?? [])
      return values.length > 0 ? median(values) : undefined
    }
    return {
      name,
      perSecond: median(samples.map(({ perSecond }) => perSecond)),
      cpu: known('cpu'),
      ratio,
      low: Math.min(...ratios),
      high: Math.max(...ratios),
      sure,
      queries: known('queries'),
      server: known('server'),
      verdict: isRefused ? 'spread too wide to judge' : goal === undefined ? '' : verdictOf(goal, sure),
      isRefused,
    }
  })
}

/** @param {Sample} own @param {Sample | undefined} first */
function ratioOf(own, first) {
  return own.cpu && first?.cpu ? first.cpu / own.cpu : own.perSecond / (first?.perSecond ?? Number.NaN)
}

/** @param {number} goal @param {[number, number]} sure */
function verdictOf(goal, [from, to]) {
  if (from >= goal) return `reaches ${goal.toFixed(2)}`
  return to < goal ? `misses ${goal.toFixed(2)}` : `too close to ${goal.toFixed(2)} to judge`
}

/**
 * The interval of the median by order statistics, which assumes nothing about how the values are spread.
 * @param {number[]} values
 * @returns {[number, number]}
 */
function surely(values) {
  const sorted = ascending(values)
  const outside = Math.max(0, Math.floor(sorted.length / 2 - Math.sqrt(sorted.length)))
  return [sorted[outside] ?? Number.NaN, sorted.at(-1 - outside) ?? Number.NaN]
}

/**
 * The rows as lines of text, below a heading.
 * @param {Judged[]} rows
 * @returns {string[]}
 */
export function tableOf(rows) {
  const columns = /** @type {[string, (row: Judged) => string][]} */ ([
    ['', ({ name }) => name],
    ['answers/s', ({ perSecond }) => perSecond.toFixed(0)],
    ['CPU, µs', ({ cpu }) => cpu?.toFixed(1) ?? ''],
    ['ratio', ({ ratio }) => ratio.toFixed(3)],
    ['surely', ({ sure: [from, to] }) => `${from.toFixed(3)}–${to.toFixed(3)}`],
    ['lowest–highest', ({ low, high }) => `${low.toFixed(3)}–${high.toFixed(3)}`],
    ['queries', ({ queries }) => queries?.toFixed(3) ?? ''],
    ['in PostgreSQL, µs', ({ server }) => server?.toFixed(1) ?? ''],
    ['', ({ verdict }) => verdict],
  ])
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, cell]) => cell(row))),
  ]
  // What nobody knows, such as queries on SQLite, is left out.
  const shown = columns.map((_, column) => lines.slice(1).some((line) => line[column]))
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .filter((_, column) => shown[column])
      .join('  ')
      .trimEnd(),
  )
}
