import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { type DatabaseKind, newDatabase, serverMissing } from '../harness/database.ts'
import { type Service, startService } from '../harness/service.ts'
import { developmentSuite } from './development.ts'
import { docsSuite } from './docs.ts'
import { openapiSuite } from './openapi.ts'
import { ownerSuite } from './owner.ts'
import { type Entry, logSuite, processSuite } from './process.ts'
import { createVariant, projectSuite, refusedSettingsSuite } from './project.ts'

const NOTES = '/api/v1/notes'

const note: Entry = {
  path: NOTES,
  body: (n) => ({ title: `Note ${n}`, body: 'Remember' }),
  has: async (service, n, added) =>
    (await service.get(`${NOTES}/${added.body.id}`)).body?.title === `Note ${n}`,
}

/** All tests of mode none, from the created project to every endpoint. */
export function noneSuite(database: DatabaseKind): void {
  const example = `none-${database}`
  describe(`mode none, ${database}`, () => {
    let project: Report
    beforeAll(async () => {
      const parent = mkdtempSync(join(inject('scratch'), 'none-'))
      project = await createVariant(example, parent, [
        'my-api',
        '--mode',
        'none',
        '--database',
        database,
        '--yes',
      ])
    })

    projectSuite(example, () => project)
    const missing = serverMissing(database)
    if (missing)
      return test('tests of the service need a database server', (context) => context.skip(missing))

    docsSuite(example, 'my-api', () => project)
    processSuite(() => project, note)
    logSuite(() => project, note)
    developmentSuite(() => project)
    refusedSettingsSuite(
      () => project,
      [
        { PORT: '70000' },
        { TRUST_PROXY: 'true' },
        { CORS_ORIGINS: '*' },
        { DATABASE_URL: database === 'sqlite' ? 'postgres://x' : 'file:data/app.db' },
      ],
    )

    describe('over HTTP', () => {
      let service: Service
      beforeAll(async () => {
        service = await startService({ cwd: project.directory, env: (await newDatabase(project)).env })
        return () => service.stop().then(() => {})
      })

      openapiSuite(() => service, {
        '/health/live': ['get'],
        '/health/ready': ['get'],
        [NOTES]: ['get', 'post'],
        [`${NOTES}/{id}`]: ['get'],
      })

      test('a note is added, read and listed, newest first', async () => {
        const added = await service.post(NOTES, { title: 'First', body: 'One' })
        expect(added.status).toBe(201)
        expect(added.body).toEqual({
          id: expect.any(Number),
          title: 'First',
          body: 'One',
          created_at: expect.any(String),
        })
        await service.post(NOTES, { title: 'Second', body: 'Two' })
        expect((await service.get(`${NOTES}/${added.body.id}`)).body).toEqual(added.body)
        const { body } = await service.get(NOTES)
        expect(body.notes.map(({ title }: { title: string }) => title)).toEqual(['Second', 'First'])
      })

      test('invalid requests are refused with problem details', async () => {
        expect((await service.post(NOTES, { title: 'No body' })).body).toMatchObject({
          status: 422,
          code: 'validation_failed',
        })
        expect((await service.post(NOTES, '{')).body).toMatchObject({ status: 400, code: 'bad_request' })
        expect((await service.get(`${NOTES}/999999`)).body).toMatchObject({ status: 404, code: 'not_found' })
        expect((await service.post(NOTES, { title: 'x'.repeat(17_000), body: '' })).body).toMatchObject({
          status: 413,
        })
      })

      test('account endpoints do not exist', async () => {
        expect((await service.post('/api/v1/auth/register', {})).status).toBe(404)
        expect((await service.get('/api/v1/users/me')).status).toBe(404)
      })
    })

    ownerSuite(() => project)
  })
}
