import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { loadedFiles } from '../support/process.ts'
import { testSettings } from '../support/settings.ts'
import { canCreate, newDatabase } from '../support/shared-database.ts'

test('METRICS_PORT is not the port of the service', () => {
  expect(() => loadConfig({ ...testSettings, METRICS_PORT: '3000' })).toThrow(/^METRICS_PORT .+$/)
})

test.skipIf(!canCreate)('without metrics, their library is not loaded', async () => {
  expect(await loadedFiles(await newDatabase())).not.toContain('/node_modules/prom-client/')
})
