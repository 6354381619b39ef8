import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { importedUsers } from '../../src/db/schema/imported-users.ts'
import { deleteMe, getExport } from '../support/account-data.ts'
import { logIn, password, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { fixture, importLines } from '../support/import.ts'

test('the export says where a user came from, and the deletion deletes that', async () => {
  const app = await createTestApp()
  const [line = ''] = (await readFile(fixture('hashes.ndjson'), 'utf8')).split('\n')
  await importLines(app, [{ ...JSON.parse(line), external_id: 'u-17' }])
  const token = await logIn(app, 'phpbb', password)
  const response = await getExport(app, token)
  expect(response.json().imported).toEqual({ external_id: 'u-17', invite_since: null })
  expect(response.body).not.toContain('phpass')
  expect((await deleteMe(app, token, { current_password: password })).statusCode).toBe(204)
  expect(await app.db.read.$count(importedUsers)).toBe(0)
})

test('of other users it says nothing', async () => {
  const app = await createTestApp()
  await register(app)
  expect((await getExport(app, await logIn(app))).json().imported).toBeNull()
})
