import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBackup } from '../support/backup.ts'
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

/** Runs the backup with a program in the place of pg_dump. @returns what it recorded, if it ran */
async function backUp(url: string) {
  const folder = await temporaryFolder()
  const script = '#!/bin/sh\necho "$PGPASSWORD" "$@" > "$RECORD"\n'
  await writeFile(join(folder, 'pg_dump'), script, { mode: 0o700 })
  const record = join(folder, 'record')
  const result = await runBackup([join(folder, 'backup')], {
    PATH: `${folder}:${process.env.PATH}`,
    RECORD: record,
    DATABASE_URL: url,
  })
  return { ...result, dumped: await readFile(record, 'utf8').catch(() => undefined) }
}

// Every user of the machine can see the arguments of a process with `ps`.
test.skipIf(process.platform === 'win32')('the password is no argument of pg_dump', async () => {
  const address = `app@127.0.0.1:${await startServer()}/app`
  const { status, dumped } = await backUp(
    `postgres://${address.replace('@', ':p%40ss@')}?options=-c+search_path%3Dapp`,
  )
  expect(status).toBe(0)
  expect(dumped).toMatch(/^p@ss --format=custom /)
  expect(dumped).toContain(`--dbname=postgres://${address}?options=-c%20search_path%3Dapp`)
})

// pg_dump empties the search_path of its session. Other clients of the pooler would then find no table.
test.skipIf(process.platform === 'win32')('pg_dump does not run through a pooler', async () => {
  const { dumped, ...result } = await backUp(`postgres://app@127.0.0.1:${await startServer('78')}/app`)
  expect(result).toEqual({
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
