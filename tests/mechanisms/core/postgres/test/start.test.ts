import { execFile } from 'node:child_process'
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, startProcess } from './support/process.ts'
import { testServer } from './support/server.ts'
import { testSettings } from './support/settings.ts'
import { startTcpServer } from './support/tcp-server.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

/** What the service and the command db:migrate say, in processes of their own. */
async function said(url: string, folder = root) {
  const settings = { ...testSettings, DATABASE_URL: url, DATABASE_CONNECT_TIMEOUT_MS: '1000', PORT: '0' }
  const service = await startProcess({ ...settings, LOG_LEVEL: 'fatal' }, folder, folder).closed
  const args = ['--import', 'tsx', join(folder, 'src/commands/migrate.ts')]
  const command = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: folder, env: { ...process.env, ...settings } },
      (error, out, err) => resolve({ code: error?.code, output: out + err }),
    )
  })
  return [service, command]
}

const line = (text: RegExp) => ({ code: 1, output: expect.stringMatching(text) })

test('a server that is down is one line, at the start and in a command', async () => {
  const port = await (await startTcpServer()).closedPort()
  const text =
    /^Configuration: DATABASE_URL: no connection to app at 127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\)\. Start PostgreSQL, or correct the address\n$/
  expect(await said(`postgres://alice@127.0.0.1:${port}/app`)).toEqual([line(text), line(text)])
})

test.skipIf(!testServer)(
  'a database that does not exist is one line with the command that creates it',
  async () => {
    const url = new URL(testServer as string)
    url.pathname = 'not_created_yet'
    const text = /^Configuration: DATABASE_URL: [^\n]+\. Create it: createdb --host=[^\n]+ not_created_yet\n$/
    expect(await said(url.href)).toEqual([line(text), line(text)])
  },
)

test('migrations that were not deployed are one line', async () => {
  const folder = await temporaryFolder()
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true })
  for (const name of ['node_modules', 'package.json', 'emails'])
    await symlink(join(root, name), join(folder, name))
  const text =
    /^Configuration: [^\n]+migrations\/postgres is missing or incomplete: deploy migrations\/ [^\n]+\n$/
  expect(await said('postgres://alice@127.0.0.1:1/app', folder)).toEqual([line(text), line(text)])
})
