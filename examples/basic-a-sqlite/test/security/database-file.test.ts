import { execFileSync } from 'node:child_process'
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ConfigError, loadConfig } from '../../src/config.ts'
import { connect, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { testSettings } from '../support/settings.ts'
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

onPosix.each([
  ['that its group may write', 0o770, 'for that group', '660'],
  ['that everyone may write', 0o777, 'for the service alone', '600'],
  ['such as /tmp', 0o1770, 'for the service alone', '600'],
])('a new file in a folder %s (mode %i) is %s', async (_case, folderMode, _whose, mode) => {
  const file = await fileInSharedFolder()
  await chmod(dirname(file), folderMode)
  open(file).exec('CREATE TABLE items (id INTEGER)')
  expect(await modesOf(file)).toEqual([mode, mode, mode])
})

onPosix('an existing file keeps its mode in a folder that its group may write', async () => {
  const file = await fileInSharedFolder()
  await chmod(dirname(file), 0o770)
  await writeFile(file, '', { mode: 0o640 })
  open(file).exec('CREATE TABLE items (id INTEGER)')
  expect(await modesOf(file)).toEqual(['640', '640', '640'])
})

// A mistyped path, tried as root with a file of the system.
test.each([
  ['a text', 'root:x:0:0\n'],
  ['a large text', 'root:x:0:0\n'.repeat(1_000)],
  ['the start of a header', 'SQLite format 3'],
])('a file that is no database (%s) is refused and stays as it was', async (_case, content) => {
  const file = await fileInSharedFolder()
  await writeFile(file, content, { mode: 0o644 })
  const before = await stat(file)
  expect(() => open(file)).toThrow(new ConfigError(`DATABASE_URL: ${file} is not a SQLite database`))
  expect(await readFile(file, 'utf8')).toBe(content)
  expect(await stat(file)).toMatchObject({ mode: before.mode, mtimeMs: before.mtimeMs })
  expect(await readdir(dirname(file))).toEqual(['app.db'])
})

test('a folder is refused', async () => {
  const folder = dirname(await fileInSharedFolder())
  expect(() => open(folder)).toThrow(new ConfigError(`DATABASE_URL: ${folder} is not a file`))
  const below = join(process.execPath, 'app.db')
  expect(() => open(below)).toThrow(/^DATABASE_URL: cannot open .+: ENOTDIR/)
})

onPosix('a pipe is refused, and nobody waits for its other end', async () => {
  const file = await fileInSharedFolder()
  execFileSync('mkfifo', [file])
  expect(() => open(file)).toThrow(new ConfigError(`DATABASE_URL: ${file} is not a file`))
})

onPosix('a link leads to a database, and nothing is created where it leads to nothing', async () => {
  const file = await fileInSharedFolder()
  const link = join(dirname(file), 'link.db')
  await symlink(file, link)
  expect(() => open(link)).toThrow(new ConfigError(`DATABASE_URL: ${link} is a link to nothing`))
  expect(await readdir(dirname(file))).toEqual(['link.db'])
  for (const part of parts) await writeFile(file + part, '', { mode: 0o644 })
  open(link).exec('CREATE TABLE items (id INTEGER)')
  expect(await modesOf(file)).toEqual(['600', '600', '600'])
})

describe('in production', () => {
  const openInProduction = (file: string) => {
    const said = vi.spyOn(console, 'error').mockClear().mockReturnValue()
    onTestFinished(() => said.mockRestore())
    const { database } = loadConfig({ ...testSettings, NODE_ENV: '', DATABASE_URL: `file:${file}` })
    const db = openDatabase(database)
    onTestFinished(() => db.close())
    return said.mock.calls.flat()
  }

  // After a typo, all users would seem to be gone, and new ones would register in the wrong file.
  test('a missing folder is not created', async () => {
    const folder = join(dirname(await fileInSharedFolder()), 'typo')
    expect(() => openInProduction(join(folder, 'app.db'))).toThrow(
      /^DATABASE_URL: there is no folder .+typo: correct the path, or create a new database with /,
    )
    await expect(stat(folder)).rejects.toThrow('ENOENT')
  })

  test.each([
    ['missing', false],
    ['empty', true],
  ])('one line says that a database is new, because its file was %s', async (_case, isThere) => {
    const file = await fileInSharedFolder()
    if (isThere) await writeFile(file, '')
    expect(openInProduction(file)).toEqual([
      `DATABASE_URL: created a new, empty database, because ${file} was missing or empty`,
    ])
    expect(openInProduction(file)).toEqual([])
  })

  test('the migrations create the folder, as a command', async () => {
    const file = join(dirname(await fileInSharedFolder()), 'new/app.db')
    await migrate({ file, busyTimeoutMs: 0 })
    expect(openInProduction(file)).toEqual([])
  })
})
