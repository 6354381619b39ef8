import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { succeed } from '../../support/command.ts'
import { exampleAnswers } from '../../support/examples.ts'
import { filesBelow } from '../../support/folder.ts'
import { mechanismFiles } from '../../support/mechanisms.ts'
import { AGAIN_ON_POSTGRES, isChecked, isWhole, WHOLE_SUITES } from '../variants/every-run.ts'
import { planSuites } from './plan.ts'
import { copyExample, EXAMPLES, runTests, servers } from './run-tests.ts'

const variants = new Map(
  [...exampleAnswers()].map(([name, answers]) => {
    const files = [...filesBelow(join(EXAMPLES, name)), ...mechanismFiles(planOf(answers))]
    return [name, new Map(files)] as const
  }),
)
const suites = planSuites(variants, isWhole ? [...variants.keys()] : WHOLE_SUITES, AGAIN_ON_POSTGRES)

describe('the tests of a new project pass, with those of mechanisms', () => {
  test.concurrent.each(suites.filter(({ run }) => run.length > 0))('$variant', async ({ variant, run }) => {
    const project = copyExample(variant)
    if (isChecked(variant)) await succeed('npm', ['run', 'check'], { cwd: project })
    expect(await runTests(project, run, await servers(variant))).toEqual([...run].sort())
  })

  test.concurrent('basic-b-postgres without a server, on PGlite', async () => {
    const parts = isWhole ? [] : ['test/db/', 'test/accounts/login.test.ts']
    await runTests(copyExample('basic-b-postgres'), parts)
  })

  test('none is left out: the others have the same path and text in a variant above', () => {
    for (const { variant, run, skipped } of suites) {
      const counts = new Map<string, number>()
      for (const { file, ranIn } of skipped) {
        counts.set(ranIn, (counts.get(ranIn) ?? 0) + 1)
        expect(suites.find((suite) => suite.variant === ranIn)?.run).toContain(file)
      }
      const elsewhere = [...counts].map(([name, count]) => `${count} in ${name}`).join(', ')
      console.log(`${variant}: ${run.length} test files run${elsewhere && `; not again: ${elsewhere}`}`)
    }
  })
})
