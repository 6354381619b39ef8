import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBackup } from '../support/backup.ts'
import { canRestore, newDatabase } from '../support/restore.ts'
import { startTcpServer } from '../support/tcp-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A message of PostgreSQL's protocol. A number is sent in 32 bits, or in 16 as an item of a list. */
function message(type: string, ...parts: (number | number[] | string)[]): Buffer {
  const bytes = (part: number, size: number) => Buffer.from(part.toString(16).padStart(size * 2, '0'), 'hex')
  const body = Buffer.concat(
    parts.flatMap((part) => {
      if (typeof part === 'string') return Buffer.from(part)
      return Array.isArray(part) ? part.map((number) => bytes(number, 2)) : bytes(part, 4)
    }),
  )
  return Buffer.concat([Buffer.from(type), bytes(body.length + 4, 4), body])
}

/** A server that announces the process 77, and whose queries get an id of a process. @returns its port */
async function startServer(answer = '77'): Promise<number> {
  const ready = message('Z', 'I')
  const row = [
    message('T', [1], 'pid\0', 0, [0], 23, [4], 0xffffffff, [0]),
    message('D', [1], answer.length, answer),
    message('C', 'SELECT 1\0'),
  ]
  const { port } = await startTcpServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', 0), message('K', 77, 1), ready]))
      socket.on('data', ([type]) => {
        if (type === 0x51) socket.write(Buffer.concat([...row, ready]))
      })
    })
  })
  return port
}

/** Prints what every user of the machine can see, what only the account can, and the access to the file. */
const SCRIPT = `#!/bin/sh
printf '%s\\n' "$@" "PGPASSWORD=$PGPASSWORD" "PGUSER=$PGUSER" "PGDATABASE=$PGDATABASE" > "$RECORD"
ls -l "$PGSERVICEFILE" >> "$RECORD"
cat "$PGSERVICEFILE" >> "$RECORD"
`

/** Runs the backup with a program in the place of pg_dump. @returns the lines that it recorded, if it ran */
async function backUp(url: string) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'pg_dump'), SCRIPT, { mode: 0o700 })
  const record = join(folder, 'record')
  const result = await runBackup([join(folder, 'backup')], {
    PATH: `${folder}:${process.env.PATH}`,
    RECORD: record,
    DATABASE_URL: url,
    TMPDIR: folder,
  })
  const lines = await readFile(record, 'utf8').catch(() => undefined)
  return { ...result, dumped: lines?.trimEnd().split('\n'), left: await readdir(folder) }
}

// Every user of the machine can see the arguments of a process with `ps`.
test.skipIf(process.platform === 'win32').each([
  [':p%40ss@', ''],
  ['@', '&password=p%40ss'],
  [':other@', '&%70ass%77ord=other&password=p%40ss'],
])('no part of app%s…?%s is an argument of pg_dump', async (account, query) => {
  const address = `postgres://app${account}127.0.0.1:${await startServer()}/accounts`
  const result = await backUp(`${address}?sslpassword=k%20ey&options=-c+search_path%3Dapp${query}`)
  const { dumped = [] } = result
  const isOption = (line: string) => /^--(format|file|exclude-table-data)=/.test(line)
  expect({ ...result, dumped: dumped.filter((line) => !isOption(line)) }).toEqual({
    status: 0,
    output: expect.stringContaining('The backup is '),
    dumped: [
      'PGPASSWORD=p@ss',
      'PGUSER=app',
      'PGDATABASE=accounts',
      expect.stringMatching(/^-rw------- /),
      '[database]',
      'sslpassword=k ey',
      'options=-c search_path=app',
    ],
    left: expect.not.arrayContaining([expect.stringMatching(/^db-backup-/)]),
  })
})

test.skipIf(!canRestore)('pg_dump reads the options of the address', async () => {
  const file = join(await temporaryFolder(), 'backup')
  const query = "application_name=it's+[me]&sslpassword=p&options=-c+search_path%3Dpg_catalog"
  const url = `${await newDatabase('CREATE TABLE kept ()')}?${query}`
  expect(await runBackup([file], { DATABASE_URL: url })).toMatchObject({ status: 0 })
  expect(await readFile(file, 'latin1')).toContain('kept')
})

// pg_dump empties the search_path of its session. Other clients of the pooler would then find no table.
test.skipIf(process.platform === 'win32')('pg_dump does not run through a pooler', async () => {
  const { dumped, ...result } = await backUp(`postgres://app@127.0.0.1:${await startServer('78')}/app`)
  expect(result).toMatchObject({
    status: 1,
    output: expect.stringMatching(/^No backup was written: DATABASE_URL leads to a pooler[^\n]+\n$/),
  })
  expect(dumped).toBeUndefined()
})

test('without pg_dump, the command says what to install', async () => {
  const file = join(await temporaryFolder(), 'backup')
  const url = `postgres://app@127.0.0.1:${await startServer()}/app`
  expect(await runBackup([file], { PATH: '', DATABASE_URL: url })).toEqual({
    status: 1,
    output: "No backup was written: pg_dump is missing. Install PostgreSQL's client programs.\n",
  })
})
