import { describe, expect, it } from 'vitest'
import { renderOnce } from '../../support/blueprints.ts'
import { allPlans } from '../../support/laws.ts'

/** The requirements of ASVS 5.0.0 of levels 1 and 2: the last number of each, by chapter and section. */
const REQUIREMENTS: Record<string, string> = {
  '6.1': '1 2 3',
  '6.2': '1 2 3 4 5 6 7 8 9 10 11 12',
  '6.3': '1 2 3 4',
  '6.4': '1 2 3 4',
  '6.5': '1 2 3 4 5',
  '6.6': '1 2 3',
  '6.8': '1 2 3 4',
  '7.1': '1 2 3',
  '7.2': '1 2 3 4',
  '7.3': '1 2',
  '7.4': '1 2 3 4 5',
  '7.5': '1 2',
  '7.6': '1 2',
  '9.1': '1 2 3',
  '9.2': '1 2 3 4',
  '11.1': '1 2',
  '11.2': '1 2 3',
  '11.3': '1 2 3',
  '11.4': '1 2 3 4',
  '11.5': '1',
  '11.6': '1',
  '13.1': '1',
  '13.2': '1 2 3 4 5',
  '13.3': '1 2',
  '13.4': '1 2 3 4 5',
  '16.1': '1',
  '16.2': '1 2 3 4 5',
  '16.3': '1 2 3 4',
  '16.4': '1 2 3',
  '16.5': '1 2 3',
}
const LEVEL_1 =
  '6.1.1 6.2.1 6.2.2 6.2.3 6.2.4 6.2.5 6.2.6 6.2.7 6.2.8 6.3.1 6.3.2 6.4.1 6.4.2 7.2.1 7.2.2 7.2.3 7.2.4 7.4.1 7.4.2 9.1.1 9.1.2 9.1.3 9.2.1 11.3.1 11.3.2 11.4.1 13.4.1'

const all = Object.entries(REQUIREMENTS).flatMap(([section, last]) =>
  last.split(' ').map((number) => `${section}.${number}`),
)

/** `7.1.3, 6.5.1 to 6.5.5` as single numbers. */
const numbersIn = (text: string) =>
  [...text.matchAll(/(\d+\.\d+)\.(\d+)(?:\s+to\s+\1\.(\d+))?/g)].flatMap(([, section, first, last = first]) =>
    Array.from(
      { length: Number(last) - Number(first) + 1 },
      (_, index) => `${section}.${Number(first) + index}`,
    ),
  )

const plans = allPlans().filter(({ words }) => words.has('auth'))

describe.each(plans.map((plan) => [[...plan.words].slice(1).join(' '), plan] as const))('%s', (_, plan) => {
  const files = renderOnce(plan)
  const pages = `${files.get('docs/asvs.md')}${files.get('docs/asvs-service.md')}`
  const rows = [...pages.matchAll(/^\| (\d+\.\d+\.\d+) \| (\d) \| (.+) \| (.+) \|$/gm)]

  it('lists each requirement once: in a table, or as not applicable', () => {
    const others = [...pages.matchAll(/^Not applicable: [\s\S]*?\n(?=\n|$)/gm)].flatMap(([text]) =>
      numbersIn(text),
    )
    const listed = [...rows.map(([, number]) => number), ...others]
    expect(listed.toSorted()).toEqual(all.toSorted())
  })

  it('has the level of each, and one of the four answers', () => {
    const levels = rows.filter(
      ([, number = '', level]) => (LEVEL_1.split(' ').includes(number) ? '1' : '2') !== level,
    )
    expect(levels.map(([row]) => row)).toEqual([])
    expect(rows.filter(([, , , , answer = '']) => !/^\*\*(Met|Partly|Yours|Not met)\b/.test(answer))).toEqual(
      [],
    )
  })

  it('names only files that exist', () => {
    const named = rows.flatMap(([row]) => [...row.matchAll(/`(\.?[\w-]+(?:\/[\w.-]+)*(?:\.\w+)?)`/g)])
    const paths = named
      .map(([, path = '']) => path)
      .filter((path) => /\/|^\.\w+|^Caddyfile$|^compose/.test(path))
    const made = ['.env', '.git', '/health/live', '/health/ready']
    expect(paths.filter((path) => !files.has(path) && !made.includes(path))).toEqual([])
    expect(paths.length).toBeGreaterThan(80)
  })
})
