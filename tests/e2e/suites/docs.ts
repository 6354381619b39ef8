import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { run } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { newFolder } from '../../support/folder.ts'
import { linkPackages } from '../../support/packages.ts'
import { freePort } from '../../support/port.js'
import { pagesToFollow, testsOf } from '../docs/pages.ts'
import { shimmedPath } from '../docs/path.ts'
import { createReader, type Reader } from '../docs/reader.ts'
import { newDatabase } from '../harness/database.ts'
import { isWhole } from '../variants/every-run.ts'

/**
 * Follows the pages of a variant in the order of README.md, in a copy of the new project. Each page starts where the
 * previous one ended. docs/extending.md ends with all tests: here, with those that the pages wrote and those that it names.
 * @param example the variant's folder in examples/
 * @param name the project's name
 */
export function docsSuite(example: string, name: string, project: () => Report): void {
  const pages = pagesToFollow(example, name)
  if (pages.length === 0) return

  describe('the pages', () => {
    let copy: Report
    let reader: Reader
    let failed: string | undefined

    beforeAll(async () => {
      copy = { ...project(), directory: join(newFolder(), name) }
      const { directory: cwd } = copy
      const packages = join(project().directory, 'node_modules')
      cpSync(project().directory, cwd, { recursive: true, filter: (path) => path !== packages })
      linkPackages(cwd, inject('modules'))
      // docs/switching.md commits what the reader changed, and not every variant follows a page that changes a file.
      writeFileSync(join(cwd, 'notes.txt'), 'A note of the reader.\n')
      const env = await readersEnvironment(copy)
      const tests = isWhole ? [] : testsOf(pages)
      reader = createReader({ cwd, port: await freePort(), folder: newFolder(), env, tests })
      return () => reader.stop()
    })

    for (const { page, text, blocks } of pages) {
      for (const { place, notRun } of blocks)
        if (notRun) test(`${place} is not run`, (context) => context.skip(notRun))

      test(`${page} works as written`, async (context) => {
        if (failed) context.skip(`${failed} failed`)
        const { directory: cwd } = copy
        const hasCurl = await run('curl', ['--version'], { cwd }).catch(() => undefined)
        if (!hasCurl) context.skip('curl is not installed')
        // As created: a page before it may have changed the copy, as `run settings` changes docs/settings.md.
        expect(readFileSync(join(project().directory, page), 'utf8')).toBe(text)
        failed = page
        await reader.follow(blocks)
        failed = undefined
      })
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
  const { env } = await newDatabase(project)
  const { DATABASE_URL: TEST_DATABASE_URL } = (await newDatabase(project)).env
  return { ...own, ...env, TEST_DATABASE_URL }
}
