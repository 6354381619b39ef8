import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { fixture, importedLine, importLines } from '../support/import.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Someone who registers with the names of a user before they are imported would get what the map gives to that user.
test('who registered before an import gets no external id', async () => {
  const app = await createTestApp()
  await register(app)
  const map = join(await temporaryFolder(), 'ids.csv')
  const lines = [importedLine('alice', { external_id: 'theirs' }), importedLine('bob', { external_id: 'b' })]
  await expect(importLines(app, lines, '--map', map)).rejects.toThrow(
    'Line 1: Email or username already registered (theirs, alice@example.com)',
  )
  const bob = await app.ctx.users.findByLogin('bob')
  expect(await readFile(map, 'utf8')).toBe(`external_id,id\nb,${bob?.id}\n`)
})

// An administrator of the other system, or whoever wrote the file, would become one here.
test.each(['django', 'forge'])('no superuser of %s is one here', async (format) => {
  const app = await createTestApp({ LOG_LEVEL: 'silent' })
  const file = fixture(format === 'django' ? 'django.json' : 'forge.ndjson')
  expect(await runCommand(app, 'import', file, '--format', format)).toContain('1 were superusers elsewhere')
  const users = await runCommand(app, 'list', '--json')
  expect(users).toContain('"username":"blaise"')
  expect(users).not.toMatch(/superuser":\s*true/)
})
