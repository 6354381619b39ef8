import { describe, expect, it } from 'vitest'
import { chartOf } from './chart.js'
import { judge, median, type Sample, tableOf } from './figures.js'

/** Bare Fastify and one program, with a ratio for each round. */
const rowsOf = (ratios: number[], goal = 0.4) => [
  { name: 'bare Fastify', samples: ratios.map((): Sample => ({ perSecond: 1_000, cpu: 30 })) },
  {
    name: 'create-authsmith',
    goal,
    // The machine takes half of its core away, which the ratio does not show.
    samples: ratios.map((ratio): Sample => ({ perSecond: 500 * ratio, cpu: 30 / ratio })),
  },
]
const SAME = [0.5, 0.5, 0.5, 0.5, 0.5]
const notes = { title: 'Speed', how: 'Five rounds.', where: 'A machine.' }

it.each([
  [[3, 1, 2], 2],
  [[10, 9, 1, 2], 5.5],
  [[], Number.NaN],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected)
})

describe('a row', () => {
  it('is summarized by the median, its interval and the range', () => {
    expect(judge(rowsOf([0.2, 0.48, 0.49, 0.5, 0.5, 0.5, 0.5, 0.51, 0.51, 0.52, 0.9]))[1]).toEqual({
      name: 'create-authsmith',
      perSecond: 250,
      cpu: 60,
      ratio: 0.5,
      low: 0.2,
      high: expect.closeTo(0.9),
      sure: [expect.closeTo(0.49), expect.closeTo(0.51)],
      queries: undefined,
      server: undefined,
      verdict: 'reaches 0.40',
      isRefused: false,
    })
  })

  it.each([
    ['reaches a goal', [0.4, 0.4, 0.41, 0.41, 0.41], 'reaches 0.40'],
    ['misses a goal', [0.39, 0.38, 0.39, 0.39, 0.37], 'misses 0.40'],
    ['is close to a goal', [0.39, 0.4, 0.4, 0.41, 0.41], 'too close to 0.40 to judge'],
    ['has too wide a spread', [0.4, 0.5, 0.6, 0.7, 0.8], 'spread too wide to judge'],
  ])('that %s', (_, ratios, verdict) => {
    const [bare, row] = judge(rowsOf(ratios))
    expect([bare?.verdict, row?.verdict]).toEqual(['', verdict])
  })

  it('compares answers per second where the system does not tell the processor time', () => {
    const rows = rowsOf(SAME).map(({ samples, ...row }) => ({
      ...row,
      samples: samples.map(({ perSecond }) => ({ perSecond })),
    }))
    const [heading, , row] = tableOf(judge(rows))
    expect(heading).not.toMatch(/CPU|queries/)
    expect(row).toMatch(/^create-authsmith +250 +0\.250 .* misses 0\.40$/)
  })

  it('shows what PostgreSQL did for an answer', () => {
    const rows = rowsOf(SAME).map((row, number) => ({
      ...row,
      samples: row.samples.map((sample) => ({ ...sample, ...(number > 0 && { queries: 0.25, server: 3 }) })),
    }))
    const [heading, bare, row] = tableOf(judge(rows))
    expect(heading).toMatch(/ queries +in PostgreSQL, µs$/)
    expect(bare).toMatch(/1\.000–1\.000$/)
    expect(row).toMatch(/ 0\.250 +3\.0 +reaches 0\.40$/)
  })
})

describe('the chart', () => {
  it('is the same for the same figures, and labels every row', () => {
    const rows = judge(rowsOf(SAME))
    const chart = chartOf(rows, notes)
    expect(chartOf(rows, notes)).toBe(chart)
    expect(chart).toContain('<title id="title">Speed</title>')
    expect(chart).toContain(
      'bare Fastify: 1.00 (1,000/s); create-authsmith: 0.50 (250/s). Five rounds. A machine.</desc>',
    )
    expect(chart.match(/>0\.50 \(250\/s\)<\/text>/g)).toHaveLength(1)
    expect(chart).toContain('prefers-color-scheme: dark')
  })

  it('has words instead of a bar for what cannot be judged', () => {
    const chart = chartOf(judge(rowsOf([0.4, 0.5, 0.6, 0.7, 2])), notes)
    expect(chart).toContain('>spread too wide to judge</text>')
    expect(chart.match(/class="(bar|other)"/g)).toEqual(['class="other"'])
    expect(chart).toBe(chartOf(judge(rowsOf([0.4, 0.5, 0.6, 0.7, 0.8])), notes))
  })

  it('escapes names and notes', () => {
    const rows = judge(rowsOf(SAME)).map((row) => ({ ...row, name: '<b title="a">&' }))
    const chart = chartOf(rows, { ...notes, where: '</text><script>' })
    expect(chart).toContain('&lt;b title=&quot;a&quot;&gt;&amp;')
    expect(chart).not.toMatch(/<b |<script/)
  })
})
