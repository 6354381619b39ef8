import { expect, test } from 'vitest'
import { loadedFiles } from '../support/process.ts'
import { canCreate, newDatabase } from '../support/shared-database.ts'

test.skipIf(!canCreate)(
  'without METRICS_PORT and METRICS_TOKEN, a new process does not load the library',
  async () => {
    expect(await loadedFiles(await newDatabase())).not.toContain('/node_modules/prom-client/')
  },
)
