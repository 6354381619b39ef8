import { expect, onTestFinished, test } from 'vitest'
import { loadUserCommands, openCommandDatabase, runUserCommand } from '../../src/commands/user-commands.ts'
import { connect, openDatabase } from '../../src/db/database.ts'
import { password } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

const refusal = {
  name: 'CommandError',
  exitCode: 1,
  message: 'The database is locked or down. Try again later.',
}

/** An app's database, while another process holds the lock. */
async function lockedDatabase() {
  const app = await createTestApp()
  const settings = { ...app.config.database, busyTimeoutMs: 0 }
  const other = connect(settings)
  onTestFinished(async () => {
    other.close()
  })
  other.exec('BEGIN IMMEDIATE')
  return { app, settings }
}

test('a command says in one line that another process holds the lock', async () => {
  const { app, settings } = await lockedDatabase()
  const db = openDatabase(settings)
  onTestFinished(() => db.close())
  const context = { ...app.ctx, db, readPassword: async () => password }
  const created = runUserCommand(await loadUserCommands(), ['create', 'alice', 'alice@example.com'], context)
  await expect(created).rejects.toMatchObject(refusal)
})

test('a command says the same if it cannot apply the migrations before', async () => {
  const { settings } = await lockedDatabase()
  await expect(openCommandDatabase(settings, 0)).rejects.toMatchObject(refusal)
})
