import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBackup, temporaryFolder } from '../support/backup.ts'

// Every user of the machine can see the arguments of a process with `ps`.
test.skipIf(process.platform === 'win32')('the password is no argument of pg_dump', async () => {
  const folder = await temporaryFolder()
  const script = '#!/bin/sh\necho "$PGPASSWORD" "$@" > "$RECORD"\n'
  await writeFile(join(folder, 'pg_dump'), script, { mode: 0o700 })
  const file = join(folder, 'backup')
  const record = join(folder, 'record')
  const { status } = await runBackup([file], {
    PATH: `${folder}:${process.env.PATH}`,
    RECORD: record,
    DATABASE_URL: 'postgres://app:p%40ss@db.example.com/app?options=-c+search_path%3Dapp',
  })
  expect(status).toBe(0)
  const dumped = await readFile(record, 'utf8')
  expect(dumped).toMatch(/^p@ss --format=custom /)
  expect(dumped).toContain('--dbname=postgres://app@db.example.com/app?options=-c%20search_path%3Dapp')
})

test('without pg_dump, the command says what to install', async () => {
  const file = join(await temporaryFolder(), 'backup')
  expect(await runBackup([file], { PATH: '', DATABASE_URL: 'postgres://localhost:1/nothing' })).toEqual({
    status: 1,
    output: "No backup was written: pg_dump is missing. Install PostgreSQL's client programs.\n",
  })
})
