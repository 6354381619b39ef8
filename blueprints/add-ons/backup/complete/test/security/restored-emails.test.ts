import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { mailRequests } from '../../src/db/schema/mail-requests.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runBackup } from '../support/backup.ts'
import { post } from '../support/flows.ts'
import { canRestore, newDatabase, restore } from '../support/restore.ts'
import { testConfig } from '../support/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function startOn(url: string) {
  const { database } = testConfig({ DATABASE_URL: url })
  await migrate(database)
  const db = openDatabase(database)
  onTestFinished(() => db.close())
  return createTestApp({}, false, { db })
}

// The emails of a backup were sent since. Sent again, they would bring users old codes, or flood them.
test.skipIf(!canRestore)('a restored service sends no email queued or requested before', async () => {
  const url = await newDatabase()
  const app = await startOn(url)
  await register(app)
  await post(app, 'forgot-password', { email: 'alice@example.com' })
  const rows = async ({ db }: typeof app) => [
    await db.read.$count(outbox),
    await db.read.$count(mailRequests),
  ]
  expect(await rows(app)).toEqual([1, 1])
  const file = join(await temporaryFolder(), 'backup')
  expect(await runBackup([file], { DATABASE_URL: url })).toMatchObject({ status: 0 })
  const restored = await startOn(await restore(file))
  expect(await rows(restored)).toEqual([0, 0])
  expect((await tryLogIn(restored, 'alice', 'Correct-Horse-7')).statusCode).toBe(200)
  // The service that was backed up still sends them.
  expect(await rows(app)).toEqual([1, 1])
})
