import { expect, test } from 'vitest'
import { shareTestApp } from '../support/app.ts'
import { loadedFiles } from '../support/process.ts'
import { canCreate, newDatabase } from '../support/shared-database.ts'

const app = await shareTestApp({ NODE_ENV: 'development' })
/** You may have deleted dev/home/. */
const hasHome = app.hasRoute({ method: 'GET', url: '/dev/home.json' })

test.skipIf(!canCreate)('without REDIS_URL, its library is not loaded', async () => {
  expect(await loadedFiles(await newDatabase())).not.toContain('/node_modules/ioredis/')
})

test.skipIf(!hasHome)('the home page says whether REDIS_URL is set', async () => {
  const { body } = await app.inject({ url: '/dev/home.json', headers: { host: 'localhost' } })
  expect(body).toContain('{"name":"REDIS_URL","value":"not set"}')
})
