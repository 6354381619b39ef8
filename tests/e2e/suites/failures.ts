import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Cluster, createCluster, findPostgres } from '../../failures/cluster.js'
import { freezeDatabase, killService, restartDatabase } from '../../failures/failures.js'
import type { Report } from '../harness/project.ts'

/** How often each failure happens here; `npm run failures` takes ten. */
const TIMES = 2

/** The service on SQLite is killed under load. For a built project of mode complete, profile B. */
export function sqliteFailuresSuite(project: () => Report): void {
  test('kill -9 under load loses nothing that was acknowledged', async () => {
    const file = join(mkdtempSync(join(inject('scratch'), 'data-')), 'app.db')
    const { counts, faults } = await killService(project().directory, `file:${file}`, TIMES)
    expect(faults, JSON.stringify(counts)).toEqual([])
  })
}

/** The service on PostgreSQL is killed under load, and its server is taken away. For the same project on PostgreSQL. */
export function postgresFailuresSuite(project: () => Report): void {
  const programs = findPostgres()
  if (!programs) test('a server of our own', (context) => context.skip('initdb is missing'))

  describe.runIf(programs)('under load', () => {
    let cluster: Cluster
    beforeAll(async () => {
      cluster = await createCluster(String(programs))
    })
    afterAll(() => cluster?.remove())

    test.each([
      ['restarts of the server', restartDatabase],
      ['a server that freezes', freezeDatabase],
      [
        'kill -9 of the service',
        (folder: string, { url }: Cluster, times: number) => killService(folder, url, times),
      ],
    ])('%s: only 503s meanwhile, and nothing that was acknowledged is lost', async (_what, fail) => {
      const { counts, faults } = await fail(project().directory, cluster, TIMES)
      expect(faults, JSON.stringify(counts)).toEqual([])
    })
  })
}
