import { describe, expect, it } from 'vitest'
import { chartOf } from './chart.js'
import { judge, median, type Sample, tableOf } from './figures.js'

/** Bare Fastify and one program, with a ratio for each round. */
const rowsOf = (ratios: number[], { core = 1, goal = 0.4 } = {}) => {
  const samples = (values: number[], ownCore: number): Sample[] =>
    values.map((ratio) => ({ perSecond: 1_000 * ratio, ratio, core: ownCore }))
  return [
    {
      name: 'bare Fastify',
      samples: samples(
        ratios.map(() => 1),
        core,
      ),
    },
    { name: 'create-authsmith', goal, samples: samples(ratios, core / 2) },
  ]
}
const notes = { title: 'Speed', how: 'Five rounds.', where: 'A machine.' }

it.each([
  [[3, 1, 2], 2],
  [[10, 9, 1, 2], 5.5],
  [[], Number.NaN],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected)
})

describe('a row', () => {
  it('is summarized by median, range, spread and the ratio per CPU', () => {
    expect(judge(rowsOf([0.5, 0.49, 0.51, 0.2, 0.5]))[1]).toEqual({
      name: 'create-authsmith',
      perSecond: 500,
      ratio: 0.5,
      low: 0.2,
      high: 0.51,
      spread: expect.closeTo(0.02),
      core: 0.5,
      cpuRatio: 1,
      verdict: 'reaches 0.40',
      isRefused: false,
    })
  })

  it.each([
    ['misses a goal', [0.39, 0.39, 0.39, 0.39, 0.39], {}, 'misses 0.40'],
    ['has too wide a spread', [0.4, 0.5, 0.6, 0.7, 0.8], {}, 'spread too wide to judge'],
    ['is measured on a busy machine', [0.5, 0.5, 0.5, 0.5, 0.5], { core: 0.5 }, 'machine too busy to judge'],
  ])('that %s', (_, ratios, options, verdict) => {
    const [bare, row] = judge(rowsOf(ratios, options))
    expect([bare?.verdict, row?.verdict]).toEqual(['', verdict])
  })

  it('has no ratio per CPU where the system does not tell the CPU time', () => {
    const rows = rowsOf([0.5, 0.5, 0.5, 0.5, 0.5]).map((row) => ({
      ...row,
      samples: row.samples.map((sample) => ({ ...sample, core: undefined })),
    }))
    expect(tableOf(judge(rows)).at(-1)).toMatch(
      /^create-authsmith +500 +0\.500 .* unknown +unknown +reaches 0\.40$/,
    )
  })
})

describe('the chart', () => {
  it('is the same for the same figures, and labels every row', () => {
    const rows = judge(rowsOf([0.5, 0.5, 0.5, 0.5, 0.5]))
    const chart = chartOf(rows, notes)
    expect(chartOf(rows, notes)).toBe(chart)
    expect(chart).toContain('<title id="title">Speed</title>')
    expect(chart).toContain(
      'bare Fastify: 1.00 (1,000/s); create-authsmith: 0.50 (500/s). Five rounds. A machine.</desc>',
    )
    expect(chart.match(/>0\.50 \(500\/s\)<\/text>/g)).toHaveLength(1)
    expect(chart).toContain('prefers-color-scheme: dark')
  })

  it('has words instead of a bar for what cannot be judged', () => {
    const chart = chartOf(judge(rowsOf([0.4, 0.5, 0.6, 0.7, 2])), notes)
    expect(chart).toContain('>spread too wide to judge</text>')
    expect(chart.match(/class="(bar|other)"/g)).toEqual(['class="other"'])
    expect(chart).toBe(chartOf(judge(rowsOf([0.4, 0.5, 0.6, 0.7, 0.8])), notes))
  })

  it('escapes names and notes', () => {
    const rows = judge(rowsOf([0.5, 0.5, 0.5, 0.5, 0.5])).map((row) => ({ ...row, name: '<b title="a">&' }))
    const chart = chartOf(rows, { ...notes, where: '</text><script>' })
    expect(chart).toContain('&lt;b title=&quot;a&quot;&gt;&amp;')
    expect(chart).not.toMatch(/<b |<script/)
  })
})
