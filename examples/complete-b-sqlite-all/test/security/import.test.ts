import { inspect } from 'node:util'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { importedLine, importFile } from '../support/import.ts'

const argon2 = (parameters: string) =>
  `$argon2id$v=19$${parameters}$bim9V3g0iGdUNli6o0a/Iw$iyYNJuPxBbrJY4OuCqLgcSfy3HVlvzpz03CQ0TIHft4`

// A login of such a user would take gigabytes or hours. One whose hash is a plain text would never log in.
test.each([
  argon2('m=4194304,t=1,p=1'),
  argon2('m=64,t=2147483648,p=1'),
  argon2('m=1048576,t=1,p=131072'),
  '$2b$31$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW',
  '$1$salt$qJH7.N4xYta3aEG/dfqo/0',
  '5f4dcc3b5aa765d61d8327deb882cf99',
  `${argon2('m=64,t=1,p=1')}${'A'.repeat(500)}`,
])('the hash %s is refused, and not shown', async (hash) => {
  const app = await createTestApp()
  const file = await importFile([importedLine('alice', { hashed_password: hash })])
  const refused = await runCommand(app, 'import', file).catch((error) => error)
  expect(refused.message).toMatch(/^Line 1: hashed_password: /)
  expect(refused.message).not.toContain(hash.slice(-20))
  expect(await runCommand(app, 'list')).toBe('No users.')
})

// Someone who can write the file, or was an administrator of the other service, would become a superuser here.
test.each([{ is_superuser: true }, { isSuperuser: true }, { id: 7 }])(
  'the field %j is refused',
  async (field) => {
    const app = await createTestApp()
    const file = await importFile([importedLine('alice', field)])
    await expect(runCommand(app, 'import', file)).rejects.toThrow(/^Line 1: Unrecognized key/)
    expect(await runCommand(app, 'list')).toBe('No users.')
  },
)

// PostgreSQL refuses year 0 in the middle of a batch.
test.each([
  ['0000-01-01T00:00:00Z', false],
  ['1969-12-31T23:59:59Z', false],
  ['1970-01-01T00:00:00Z', true],
  ['1970-01-01T00:30:00+01:00', false],
  ['2026-01-01T12:00:00Z', true],
  ['2026-01-01T12:00:01Z', false],
  ['9999-12-31T23:59:59Z', false],
])('created_at %s: accepted is %s, with and without --dry-run', async (created_at, isAccepted) => {
  const app = await createTestApp()
  const file = await importFile([importedLine('alice', { created_at })])
  for (const options of [['--dry-run'], []]) {
    const run = runCommand(app, 'import', file, ...options)
    if (isAccepted) expect(await run).toContain(' 1 users.')
    else await expect(run).rejects.toThrow('Line 1: created_at: Must be between 1970 and now')
  }
})

// The output of a command gets into tickets and the logs of pipelines.
test('an error of the database shows no hash or address of the batch', async () => {
  const app = await createTestApp()
  const { email, hashed_password: hash, ...line } = importedLine('alice')
  const failed = new DrizzleQueryError('insert …', [email, hash], new Error('disk full'))
  const db = { ...app.db, transaction: () => Promise.reject(failed) }
  const broken = { ctx: { ...app.ctx, db } }
  const file = await importFile([{ ...line, email, hashed_password: hash }])
  const shown = inspect(await runCommand(broken, 'import', file).catch((error: unknown) => error))
  expect(shown).toContain('disk full')
  expect(shown).not.toContain(email)
  expect(shown).not.toContain(hash)
})
