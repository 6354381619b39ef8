import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/db/database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Another account of the machine could copy the file, or the parts of it in -wal, and crack the hashes.
// Windows has no such modes.
const onPosix = test.skipIf(process.platform === 'win32')

const parts = ['', '-wal', '-shm']

async function fileInSharedFolder() {
  const folder = await temporaryFolder()
  await chmod(folder, 0o755)
  return join(folder, 'app.db')
}

function open(file: string) {
  const connection = connect({ file, busyTimeoutMs: 0 })
  onTestFinished(() => void connection.close())
  return connection
}

const modesOf = (file: string) =>
  Promise.all(parts.map(async (part) => ((await stat(file + part)).mode & 0o777).toString(8)))

onPosix('a new file is for the service alone, even in a folder that others can read', async () => {
  const file = await fileInSharedFolder()
  open(file).exec('CREATE TABLE items (id INTEGER)')
  expect(await modesOf(file)).toEqual(['600', '600', '600'])
})

onPosix('an existing one that others can read is closed to them', async () => {
  const file = await fileInSharedFolder()
  for (const part of parts) await writeFile(file + part, '', { mode: 0o644 })
  open(file)
  expect(await modesOf(file)).toEqual(['600', '600', '600'])
})
