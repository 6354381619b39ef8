import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isRoot = process.getuid?.() === 0
if (!isRoot) console.log('Skipped, because only root can run a process as another user: foreign-file.test.ts')

const script = `
  import { migrate } from './src/db/migrate.ts'
  import { openDatabase } from './src/db/database.ts'
  const settings = { file: process.argv[1], busyTimeoutMs: 5000, isProduction: true }
  const db = openDatabase(settings)
  console.log(await migrate(settings))
  await db.close()
`

/** Runs the start as a user and group that own nothing here. @returns what it prints to standard output and error */
function startAs(uid: number, gid: number, file: string): string {
  const command = `umask 022; exec setpriv --reuid ${uid} --regid ${gid} --clear-groups "$@" 2>&1`
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', script, file]
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  // The cache of tsx is in the folder of the user.
  const env = { ...process.env, HOME: '/tmp', TSX_DISABLE_CACHE: '1' }
  return execFileSync('sh', ['-c', command, 'sh', ...node], { cwd, env, encoding: 'utf8' })
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

test.skipIf(!isRoot)(
  'a file of another user, writable for the group, is used as it is, with one warning',
  async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'app.db')
    writeFileSync(file, '')
    for (const [path, mode] of [
      [folder, 0o770],
      [file, 0o660],
    ] as const) {
      chmodSync(path, mode)
      chownSync(path, 54_321, 23_456)
    }
    const said = startAs(54_322, 23_456, file)
    const warning = `DATABASE_URL: user 54321 owns ${file}, the service runs as 54322 and keeps its mode`
    expect(said.split('\n').filter((line) => line.includes('owns'))).toEqual([warning])
    expect(said).toMatch(/^[1-9]\d*$/m)
    expect([modeOf(file), statSync(file).uid]).toEqual(['660', 54_321])
  },
)

test.skipIf(!isRoot)('the file that one user of a group made serves the next one', async () => {
  const folder = await temporaryFolder()
  chmodSync(folder, 0o770)
  chownSync(folder, 0, 23_456)
  const file = join(folder, 'app.db')
  expect(startAs(54_321, 23_456, file)).toMatch(/^[1-9]\d*$/m)
  expect(modeOf(file)).toBe('660')
  expect(startAs(54_322, 23_456, file)).toMatch(/^0$/m)
})

test.skipIf(!isRoot)('root leaves a file of another user as it is', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'app.db')
  writeFileSync(file, '', { mode: 0o644 })
  chownSync(file, 54_321, 23_456)
  expect(startAs(0, 0, file)).toContain('user 54321 owns')
  expect(modeOf(file)).toBe('644')
})
