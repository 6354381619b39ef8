import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { expect, test } from 'vitest'
import { isCurrentHash } from '../../src/passwords/hashes.ts'
import { changeUser, logIn, password, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { importedLine, importFile, importLines, withoutUsernames } from '../support/import.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const names = async (app: TestApp) =>
  (await runCommand(app, 'list', '--json', '--limit', '10000'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).username)

test.each([
  ['bcrypt', () => bcrypt(password, 4)],
  ['argon2id', () => argon2(password, { memoryCost: 32, timeCost: 1 })],
])('a user with a hash of %s logs in, and gets a current hash', async (_name, hash) => {
  const app = await createTestApp()
  const line = importedLine('alice', {
    hashed_password: await hash(),
    created_at: '2020-02-03T04:05:06+01:00',
  })
  expect(await importLines(app, [line])).toBe('Imported 1 users. 0 existed already.')

  await logIn(app)
  const user = await readUser(app, 1)
  expect(isCurrentHash(user.hashedPassword, app.config.credentials)).toBe(true)
  expect(user.createdAt.toISOString()).toBe('2020-02-03T03:05:06.000Z')
})

test('an inactive user stays inactive', async () => {
  const app = await createTestApp()
  await importLines(app, [
    importedLine('alice', { hashed_password: await bcrypt(password, 4), is_active: false }),
  ])
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(401)
})

const faulty = [
  importedLine('alice'),
  '{"username": "mallory"',
  importedLine('bob', { email: 'not-an-email' }),
  '',
  importedLine('x', { hashed_password: 'plain' }),
  importedLine('ALICE', { email: 'other@example.com' }),
  importedLine('carol', { email: 'Alice@example.com' }),
  importedLine('dave'),
  importedLine('dave'),
  importedLine('erin', { username: undefined }),
]

const reasons = [
  'Line 2: Not a JSON object',
  'Line 3: email: Must be an email address',
  'Line 5: username: Must be 3 to 32',
  'Line 5: hashed_password: Not a hash of a known kind',
  'Line 6: Email, username or id of an earlier record',
  'Line 7: Email, username or id of an earlier record',
  'Line 9: Email, username or id of an earlier record',
  'Line 10: username: ',
]

test.each([
  [[], 'Imported 2 users. 0 existed already.', ['alice', 'dave']],
  [['--dry-run'], 'Would import 2 users. 0 existed already.', []],
])('import %j names each refused line, and imports the others', async (options, done, imported) => {
  const app = await createTestApp()
  const refused = await importLines(app, faulty, ...options).catch((error) => error)
  expect(refused).toMatchObject({ name: 'CommandError', exitCode: 1 })
  const lines = refused.message.split('\n')
  for (const reason of reasons) expect(lines).toContainEqual(expect.stringContaining(reason))
  expect(lines.slice(-1)).toEqual([`${done} Refused 7, see the lines above.`])
  expect(lines).toHaveLength(reasons.length + 1)
  expect(await names(app)).toEqual(imported)
})

test('a second run changes nothing, also not the password that a user has changed since', async () => {
  const app = await createTestApp()
  const lines = [importedLine('alice'), importedLine('Bob', { external_id: 'b' })]
  expect(await importLines(app, lines)).toBe('Imported 2 users. 0 existed already.')
  await changeUser(app, 2, { hashedPassword: 'changed', email: 'new@example.com' })
  expect(await importLines(app, lines)).toBe(
    'Lines 1 to 2: Existed already\nImported 0 users. 2 existed already.',
  )
  expect((await readUser(app, 2)).hashedPassword).toBe('changed')
})

test('a run after an interruption imports the rest, and no user twice', async () => {
  const app = await createTestApp()
  const lines = Array.from({ length: 1200 }, (_, index) => importedLine(`user${index}`))
  const file = await importFile(lines)
  let transactions = 0
  const transaction: typeof app.db.transaction = (...args) => {
    transactions += 1
    return transactions === 2 ? Promise.reject(new Error('killed')) : app.db.transaction(...args)
  }
  const interrupted = { ctx: { ...app.ctx, db: { ...app.db, transaction } } }
  await expect(runCommand(interrupted, 'import', file)).rejects.toThrow('killed')
  expect(await names(app)).toHaveLength(500)

  expect(await runCommand(app, 'import', file)).toBe(
    'Lines 1 to 500: Existed already\nImported 700 users. 500 existed already.',
  )
  expect(await names(app)).toEqual(lines.map(({ username }) => username))
})

test('a missing file is refused', async () => {
  const app = await createTestApp()
  await expect(runCommand(app, 'import', '/nowhere/users.ndjson')).rejects.toMatchObject({
    exitCode: 1,
    message: 'Cannot read the file "/nowhere/users.ndjson".',
  })
})

test('a user without a hash has no password', async () => {
  const app = await createTestApp()
  const { hashed_password: _, ...line } = importedLine('alice')
  expect(await importLines(app, [line, { ...importedLine('bob'), hashed_password: null }])).toContain(
    'Imported 2 users.',
  )
  expect((await readUser(app, 1)).hashedPassword).toBe('!')
  for (const given of ['', '!', password]) expect((await tryLogIn(app, 'alice', given)).statusCode).toBe(401)
})

test('a user without a username gets one where it is not required, and a second run finds them by email', async () => {
  const app = await createTestApp()
  const { username: _, ...line } = importedLine('alice', { hashed_password: await bcrypt(password, 4) })
  await expect(importLines(app, [line])).rejects.toThrow(
    'Line 1: username: Missing, and USERNAME_REQUIRED is not false',
  )
  const lenient = withoutUsernames(app)
  expect(await importLines(lenient, [line])).toBe('Imported 1 users. 0 existed already.')
  const { username } = await readUser(app, 1)
  expect(username).toMatch(/^user-[0-9a-hjkmnp-tv-z]{10}$/)
  expect((await tryLogIn(app, 'alice@example.com', password)).statusCode).toBe(200)
  expect(await importLines(lenient, [line])).toContain('Imported 0 users. 1 existed already.')
})

test('--map lists the new id of each external id, also after an interruption, in a new file', async () => {
  const app = await createTestApp()
  await register(app, 'bob')
  const folder = await temporaryFolder()
  const lines = [
    importedLine('alice', { external_id: '017' }),
    importedLine('carol'),
    importedLine('dave', { external_id: 'a "quoted", id' }),
  ]
  const expected = 'external_id,id\n017,2\n"a ""quoted"", id",4\n'
  for (const name of ['first.csv', 'second.csv']) {
    const map = join(folder, name)
    await importLines(app, lines, '--map', map)
    expect(await readFile(map, 'utf8')).toBe(expected)
    expect((await stat(map)).mode & 0o077).toBe(0)
  }
})

test('--map overwrites no file, and --dry-run writes none', async () => {
  const app = await createTestApp()
  const map = join(await temporaryFolder(), 'ids.csv')
  await importLines(app, [importedLine('alice', { external_id: '1' })], '--dry-run', '--map', map)
  await writeFile(map, 'mine')
  await expect(importLines(app, [importedLine('alice')], '--map', map)).rejects.toThrow(
    `Cannot create the file ${JSON.stringify(map)}. Choose another name.`,
  )
  expect(await readFile(map, 'utf8')).toBe('mine')
  expect(await names(app)).toEqual([])
})
