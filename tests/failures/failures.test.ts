import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Cluster, createCluster, findPostgres } from '../support/cluster.js'
import { succeed } from '../support/command.ts'
import { createProject } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { freezeDatabase, killService, restartDatabase } from './failures.js'

/** Repetitions of each failure. `npm run failures` uses ten. */
const TIMES = 2

/** Creates, installs and builds a service of mode complete. @returns its folder */
async function build(database: string): Promise<string> {
  const answers = ['my-api', '--mode', 'complete', '--profile', 'B', '--database', database, '--no-git']
  const { directory } = await createProject(newFolder(), answers)
  await succeed('npm', ['run', 'build'], { cwd: directory })
  return directory
}

test('kill -9 under load on SQLite loses no acknowledged change', async () => {
  const file = join(mkdtempSync(join(inject('scratch'), 'data-')), 'app.db')
  const { counts, faults } = await killService(await build('sqlite'), `file:${file}`, TIMES)
  expect(faults, JSON.stringify(counts)).toEqual([])
})

const programs = findPostgres()

if (!programs) {
  test('tests of PostgreSQL failures need a separate server', (context) => context.skip('initdb is missing'))
}

describe.runIf(programs)('under load on PostgreSQL', () => {
  let project: string
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await createCluster(String(programs))
    project = await build('postgres')
  })
  afterAll(() => cluster?.remove())

  test.each([
    ['a restart of the server', restartDatabase],
    ['a frozen server', freezeDatabase],
    ['kill -9 of the service', (folder: string, { url }: Cluster) => killService(folder, url, TIMES)],
  ])('%s causes only 503s while it lasts, and no acknowledged change is lost', async (_what, fail) => {
    const { counts, faults } = await fail(project, cluster, TIMES)
    expect(faults, JSON.stringify(counts)).toEqual([])
  })
})
