import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { run } from '../support/command.ts'
import { createProject, type Report } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { freePort } from '../support/port.js'
import { type Block, blocksOf, pagesOf } from './docs/blocks.ts'
import { shimmedPath } from './docs/path.ts'
import { createReader, type Reader } from './docs/reader.ts'
import { type DatabaseKind, newDatabase, serverMissing } from './harness/database.ts'
import { verifiedGuardSuite } from './suites/complete-guard.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')

const STATES = [
  { mode: 'none' },
  ...['basic', 'complete'].flatMap((mode) => ['A', 'B'].map((profile) => ({ mode, profile }))),
] as { mode: string; profile?: string }[]

const VARIANTS = (['sqlite', 'postgres'] as const).flatMap((database) =>
  STATES.map(({ mode, profile }) => ({
    name: [mode, profile?.toLowerCase(), database].filter(Boolean).join('-'),
    flags: ['--mode', mode, ...(profile ? ['--profile', profile] : []), '--database', database],
    database,
  })),
)

describe.each(VARIANTS)('the pages of $name', ({ name, flags, database }) => {
  const read = (page: string) => readFileSync(join(EXAMPLES, name, page), 'utf8')
  const pages = pagesOf(read('README.md')).map((page) => ({ page, blocks: blocksOf(page, read(page)) }))
  docsSuite(['my-api', ...flags, '--yes'], database, pages, read)
})

interface Page {
  page: string
  blocks: Block[]
}

/** Follows every page in the order of README.md, in one project. Each page starts where the previous one ended. */
function docsSuite(
  flags: readonly string[],
  database: DatabaseKind,
  pages: readonly Page[],
  read: (page: string) => string,
): void {
  let project: Report
  let reader: Reader
  let failed: string | undefined

  const missing = serverMissing(database)
  if (missing) {
    test('need a database server', (context) => context.skip(missing))
    return
  }

  beforeAll(async () => {
    project = await createProject(newFolder(), flags)
    const env = await readersEnvironment(project)
    const folder = newFolder()
    reader = createReader({ cwd: project.directory, port: await freePort(), folder, env })
    return () => reader.stop()
  })

  for (const { page, blocks } of pages) {
    for (const { place, notRun } of blocks)
      if (notRun) test(`${place} is not run`, (context) => context.skip(notRun))

    test(`${page} works as written`, async (context) => {
      if (failed) context.skip(`${failed} failed`)
      const hasCurl = await run('curl', ['--version'], { cwd: project.directory }).catch(() => undefined)
      if (!hasCurl) context.skip('curl is not installed')
      expect(readFileSync(join(project.directory, page), 'utf8')).toBe(read(page))
      failed = page
      await reader.follow(blocks)
      failed = undefined
    })

    if (page === 'docs/extending.md' && flags.includes('complete')) verifiedGuardSuite(() => project)
  }
}

/** The reader's environment: new databases, a git identity, and an npx that runs this generator. */
async function readersEnvironment(project: Report): Promise<Record<string, string>> {
  const own = { PATH: shimmedPath(newFolder()), NO_COLOR: '1', GIT_CONFIG_GLOBAL: inject('gitConfig') }
  if (project.answers.database === 'sqlite') return own
  const { env } = await newDatabase(project)
  const { DATABASE_URL: TEST_DATABASE_URL } = (await newDatabase(project)).env
  return { ...own, ...env, TEST_DATABASE_URL }
}
