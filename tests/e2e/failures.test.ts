import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Cluster, createCluster, findPostgres } from '../failures/cluster.js'
import { freezeDatabase, killService, restartDatabase } from '../failures/failures.js'
import { succeed } from './harness/command.ts'
import { newFolder } from './harness/folder.ts'
import { createProject } from './harness/project.ts'

/** How often each failure happens here; `npm run failures` takes ten. */
const TIMES = 2

/** Resolves to the folder of a service of mode complete, installed and built. */
async function build(database: string): Promise<string> {
  const answers = ['my-api', '--mode', 'complete', '--profile', 'B', '--database', database, '--no-git']
  const { directory } = await createProject(newFolder(), answers)
  await succeed('npm', ['run', 'build'], { cwd: directory })
  return directory
}

test('kill -9 under load on SQLite loses nothing that was acknowledged', async () => {
  const file = join(mkdtempSync(join(inject('scratch'), 'data-')), 'app.db')
  const { counts, faults } = await killService(await build('sqlite'), `file:${file}`, TIMES)
  expect(faults, JSON.stringify(counts)).toEqual([])
})

const programs = findPostgres()

if (!programs) {
  test('failures of PostgreSQL need a server of their own', (context) => context.skip('initdb is missing'))
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
    ['restarts of the server', restartDatabase],
    ['a server that freezes', freezeDatabase],
    ['kill -9 of the service', (folder: string, { url }: Cluster) => killService(folder, url, TIMES)],
  ])('%s: only 503s meanwhile, and nothing that was acknowledged is lost', async (_what, fail) => {
    const { counts, faults } = await fail(project, cluster, TIMES)
    expect(faults, JSON.stringify(counts)).toEqual([])
  })
})
