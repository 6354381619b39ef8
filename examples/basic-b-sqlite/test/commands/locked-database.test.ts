import { expect, onTestFinished, test } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { connect, openDatabase } from '../../src/db/database.ts'
import { password } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

test('a command says in one line that another process holds the lock', async () => {
  const { config, now } = await createTestApp()
  const settings = { ...config.database, busyTimeoutMs: 0 }
  const [db, other] = [openDatabase(settings), connect(settings)]
  onTestFinished(async () => {
    other.close()
    await db.close()
  })
  other.exec('BEGIN IMMEDIATE')
  const context = { db, config, now, readPassword: async () => password }
  const created = runUserCommand(await loadUserCommands(), ['create', 'alice', 'alice@example.com'], context)
  await expect(created).rejects.toMatchObject({
    name: 'CommandError',
    message: 'The database is locked or down. Try again later.',
  })
})
