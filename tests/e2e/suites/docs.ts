import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { run } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { newFolder } from '../../support/folder.ts'
import { freePort } from '../../support/port.js'
import { blocksOf, pagesOf } from '../docs/blocks.ts'
import { shimmedPath } from '../docs/path.ts'
import { createReader, type Reader } from '../docs/reader.ts'
import { newDatabase } from '../harness/database.ts'
import { verifiedGuardSuite } from './complete-guard.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')

/**
 * Follows every page in the order of README.md, in a copy of the new project. Each page starts where the previous one
 * ended. docs/extending.md ends with all tests of the project.
 * @param example the variant's folder in examples/
 * @param name the project's name
 */
export function docsSuite(example: string, name: string, project: () => Report): void {
  const read = (page: string) =>
    readFileSync(join(EXAMPLES, example, page), 'utf8').replaceAll('my-api', name)
  const pages = pagesOf(read('README.md')).map((page) => ({ page, blocks: blocksOf(page, read(page)) }))

  describe('the pages', () => {
    let copy: Report
    let reader: Reader
    let failed: string | undefined

    beforeAll(async () => {
      copy = { ...project(), directory: join(newFolder(), name) }
      const { directory: cwd } = copy
      cpSync(project().directory, cwd, { recursive: true, verbatimSymlinks: true })
      const env = await readersEnvironment(copy)
      reader = createReader({ cwd, port: await freePort(), folder: newFolder(), env })
      return () => reader.stop()
    })

    for (const { page, blocks } of pages) {
      for (const { place, notRun } of blocks)
        if (notRun) test(`${place} is not run`, (context) => context.skip(notRun))

      test(`${page} works as written`, async (context) => {
        if (failed) context.skip(`${failed} failed`)
        const { directory: cwd } = copy
        const hasCurl = await run('curl', ['--version'], { cwd }).catch(() => undefined)
        if (!hasCurl) context.skip('curl is not installed')
        expect(readFileSync(join(cwd, page), 'utf8')).toBe(read(page))
        failed = page
        await reader.follow(blocks)
        failed = undefined
      })

      if (page === 'docs/extending.md' && example.startsWith('complete')) verifiedGuardSuite(() => copy)
    }
  })
}

/** The reader's environment: new databases, servers for the tests, a git identity, and an npx that runs this generator. */
async function readersEnvironment(project: Report): Promise<Record<string, string>> {
  const redis = inject('redis')
  const own = {
    PATH: shimmedPath(newFolder()),
    NO_COLOR: '1',
    GIT_CONFIG_GLOBAL: inject('gitConfig'),
    ...('url' in redis && { TEST_REDIS_URL: redis.url }),
  }
  if (project.answers.database === 'sqlite') return own
  const { DATABASE_URL } = (await newDatabase(project)).env
  const { DATABASE_URL: TEST_DATABASE_URL } = (await newDatabase(project)).env
  return { ...own, DATABASE_URL, TEST_DATABASE_URL }
}
