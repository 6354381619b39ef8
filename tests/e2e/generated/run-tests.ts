import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { run } from '../../support/command.ts'
import { newFolder } from '../../support/folder.ts'
import { linkPackages } from '../../support/packages.ts'
import { createDatabase } from '../harness/postgres.ts'

export const EXAMPLES = join(import.meta.dirname, '../../../examples')

/** Copies a variant from examples/ and links its packages. @returns the copy */
export function copyExample(variant: string): string {
  const copy = join(newFolder(), 'my-api')
  cpSync(join(EXAMPLES, variant), copy, { recursive: true })
  linkPackages(copy, inject('modules'))
  return copy
}

/** Runs tests of a generated project, which have to pass. @param tests paths or parts of them; all by default */
export async function runTests(project: string, tests: readonly string[] = [], env = {}): Promise<string[]> {
  const report = join(mkdtempSync(join(inject('scratch'), 'report-')), 'report.json')
  const flags = ['run', 'test', '--', '--reporter=json', '--reporter=dot', `--outputFile=${report}`]
  const { code, stdout, stderr } = await run('npm', [...flags, ...tests], {
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
