import { expect, test } from 'vitest'
import { loadedFiles } from '../support/process.ts'
import { canCreate, newDatabase } from '../support/shared-database.ts'

test.skipIf(!canCreate)('without REDIS_URL, a new process does not load the driver', async () => {
  expect(await loadedFiles(await newDatabase())).not.toContain('/node_modules/ioredis/')
})
