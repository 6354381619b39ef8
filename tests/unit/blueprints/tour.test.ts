import { describe, expect, it } from 'vitest'
import { renderOnce } from '../../support/blueprints.ts'
import { allPlans } from '../../support/laws.ts'

const page = 'docs/tour.md'

/** A link to a file of the project, or the name of a function after it: `[log-in.ts](../src/accounts/log-in.ts) | `logIn()``. */
const STEP = /\]\(\.\.\/([^)]+\.ts)\)|`(\w+)\(\)`/g

/** What each line of the tour names: a file, and each function after the link to it. */
function stepsIn(tour: string): { file: string; name: string | undefined }[] {
  return tour.split('\n').flatMap((line) => {
    let file = ''
    return [...line.matchAll(STEP)].map(([, link, name]) => {
      file = link ?? file
      return { file, name }
    })
  })
}

/** Whether a file defines a function of this name, also as a method of what a factory returns. */
const defines = (text: string, name: string) =>
  new RegExp(
    String.raw`\bfunction\*? ${name}\b|\bconst ${name}\b|^ +(?:async )?${name}(?:\(|: (?:async )?\()`,
    'm',
  ).test(text)

const plans = allPlans().filter(({ words }) => words.has('auth'))

describe.each(plans.map((plan) => [[...plan.words].slice(1).join(' '), plan] as const))('%s', (_, plan) => {
  const files = renderOnce(plan)
  const steps = stepsIn(files.get(page) ?? '')

  it('names in docs/tour.md only functions that the file beside them defines', () => {
    const missing = steps.filter(
      ({ file, name }) => !files.has(file) || (name !== undefined && !defines(files.get(file) ?? '', name)),
    )
    expect(missing).toEqual([])
    expect(steps.length).toBeGreaterThan(40)
  })

  it('has a tour of one page, which README.md links before all others', () => {
    expect(files.get(page)?.split('\n').length).toBeLessThanOrEqual(200)
    const [, first] = /^\| \[.*\]\((docs\/.*\.md)\) \|/m.exec(files.get('README.md') ?? '') ?? []
    expect(first).toBe(page)
  })
})

describe('what the test above looks for', () => {
  it('is found in a line', () => {
    const line = '| [a.ts](../src/a.ts) | `one()`, `two()` | calls [b.ts](../src/b.ts) `three()` |'
    expect(stepsIn(line)).toEqual([
      { file: 'src/a.ts', name: undefined },
      { file: 'src/a.ts', name: 'one' },
      { file: 'src/a.ts', name: 'two' },
      { file: 'src/b.ts', name: undefined },
      { file: 'src/b.ts', name: 'three' },
    ])
  })

  it.each([
    ['export async function one() {}', true],
    ['export const one = () => 1', true],
    ['  return {\n    async one(id: number) {}\n  }', true],
    ['  return {\n    one: async (id: number) => id,\n  }', true],
    ['one()\nawait one()', false],
    ['function oneMore() {}', false],
  ])('%s defines one: %s', (text, expected) => {
    expect(defines(text, 'one')).toBe(expected)
  })
})
