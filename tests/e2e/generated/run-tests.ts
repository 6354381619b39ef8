import { chmodSync, cpSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { type Plan, planOf } from '../../../src/blueprints/layers.ts'
import { parseManifest } from '../../../src/project/manifest.ts'
import { run } from '../../support/command.ts'
import { exampleAnswers } from '../../support/examples.ts'
import { newFolder } from '../../support/folder.ts'
import { addMechanisms } from '../../support/mechanisms.ts'
import { linkPackages } from '../../support/packages.ts'
import { createDatabase } from '../harness/postgres.ts'

export const EXAMPLES = join(import.meta.dirname, '../../../examples')

/** Copies a variant from examples/, with the tests of mechanisms. @returns the copy */
export function copyExample(variant: string): string {
  const answers = exampleAnswers().get(variant)
  if (!answers) throw new Error(`There is no example ${variant}`)
  return copyProject(join(EXAMPLES, variant), planOf(answers))
}

/** Copies a project as it is after a switch, with the tests of mechanisms. @returns the copy */
export function copySwitched(project: string): string {
  const { answers } = parseManifest(readFileSync(join(project, '.authsmith/manifest.json'), 'utf8'))
  return copyProject(project, planOf(answers))
}

function copyProject(project: string, plan: Plan): string {
  const folder = newFolder()
  chmodSync(folder, 0o711)
  const copy = join(folder, 'my-api')
  const left = ['node_modules', '.git'].map((name) => join(project, name))
  cpSync(project, copy, { recursive: true, filter: (path) => !left.includes(path) })
  linkPackages(copy, inject('modules'))
  addMechanisms(copy, plan)
  // Only the tests of mechanisms use it. It finds its own packages beside it.
  const fastCheck = join(EXAMPLES, '../node_modules/fast-check')
  symlinkSync(realpathSync(fastCheck), join(copy, 'node_modules/fast-check'))
  return copy
}

/** Runs tests of a generated project, which have to pass. @param tests paths or parts of them; all by default */
export async function runTests(project: string, tests: readonly string[] = [], env = {}): Promise<string[]> {
  const report = join(mkdtempSync(join(inject('scratch'), 'report-')), 'report.json')
  const flags = ['--reporter=json', '--reporter=dot', `--outputFile=${report}`]
  const { code, stdout, stderr } = await run('npm', ['run', 'test', '--', ...flags, ...tests], {
    cwd: project,
    env: { NO_COLOR: '1', ...env },
  })
  expect(code, stdout + stderr).toBe(0)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: { name: string }[] }
  return testResults.map(({ name }) => name.slice(project.length + 1)).sort()
}

/** The servers that generated tests use. Without a PostgreSQL server, they use PGlite. */
export async function servers(variant: string): Promise<Record<string, string>> {
  const [redis, postgres] = [inject('redis'), inject('postgres')]
  return {
    ...('url' in redis && { TEST_REDIS_URL: redis.url }),
    ...(variant.includes('postgres') &&
      'url' in postgres && { TEST_DATABASE_URL: await createDatabase(postgres) }),
  }
}
