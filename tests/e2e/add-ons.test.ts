import { describe, expect, test } from 'vitest'
import { allowedAddOns } from '../../src/answers/add-ons.ts'
import { succeed } from '../support/command.ts'
import { createLinked } from '../support/create-project.ts'
import { devScript } from '../support/dev.js'
import { exampleAnswers } from '../support/examples.ts'
import { newFolder } from '../support/folder.ts'
import { ownTests } from './generated/changes.ts'
import { runTests, servers } from './generated/run-tests.ts'
import { newDatabase } from './harness/database.ts'
import { startService } from './harness/service.ts'
import { isWhole } from './variants/every-run.ts'

test('pages without cookies, which the examples with all add-ons have, keep the tokens of the browser', async () => {
  const flags = ['--mode', 'complete', '--profile', 'B', '--database', 'sqlite', '--add', 'pages', '--no-git']
  const { directory } = await createLinked(newFolder(), ['my-api', ...flags])
  expect(await runTests(directory, ['http/page-session', 'security/pages'])).toHaveLength(2)
})

/** One of each mode, and of complete one of each profile and database. */
const CORES = ['complete-b-sqlite', 'complete-a-postgres', 'basic-b-sqlite', 'none-sqlite']
const cores = [...exampleAnswers()].filter(([name]) => CORES.includes(name))

// Here a test fails that uses another add-on: elsewhere a project has all of them or none. The unit tests check imports.
describe.runIf(isWhole).each(cores)('with one add-on, %s', (variant, { addOns: _, ...answers }) => {
  test.each(allowedAddOns(answers))('%s is checked, starts and passes its tests', async (addOn) => {
    const { mode, profile, database } = answers
    const flags = ['--mode', mode, ...(profile ? ['--profile', profile] : []), '--database', database]
    const project = await createLinked(newFolder(), ['my-api', ...flags, '--add', addOn, '--no-git'])
    const { directory: cwd } = project
    await succeed('npm', ['run', 'check'], { cwd })
    const { env } = await newDatabase(project)
    const service = await startService({ cwd, env, command: ['node', ...devScript(cwd)] })
    expect((await service.get('/health/ready')).status).toBe(200)
    await service.stop()
    const own = ownTests(cwd, variant)
    expect(own).not.toEqual([])
    await runTests(cwd, own, await servers(variant))
  })
})
