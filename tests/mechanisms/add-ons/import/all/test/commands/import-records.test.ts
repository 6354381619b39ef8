import { expect, test } from 'vitest'
import { changeUser, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { importedLine, importFile, importLines, withoutUsernames } from '../support/import.ts'

const refusal = async (run: Promise<string>): Promise<string> => run.then(String, (error) => error.message)

test('of two records with one address, name or id the second is refused and named, in each run', async () => {
  const app = await createTestApp()
  const lines = [
    importedLine('alice', { external_id: 'a' }),
    importedLine('bob', { external_id: 'b', email: 'ALICE@example.com' }),
    importedLine('Alice', { external_id: 'c', email: 'other@example.com' }),
    importedLine('dave', { external_id: 'a' }),
    importedLine('erin'),
    importedLine('erin'),
  ]
  const twice = 'Email, username or id of an earlier record'
  const named = [
    `Line 2: ${twice} (b, ALICE@example.com)`,
    `Line 3: ${twice} (c, other@example.com)`,
    `Line 4: ${twice} (a, dave@example.com)`,
    `Line 6: ${twice} (erin@example.com)`,
  ]
  for (const options of [['--dry-run'], []]) {
    const text = await refusal(importLines(app, lines, ...options))
    expect(text.split('\n')).toEqual([
      ...named,
      expect.stringMatching(/ 2 users\. 0 existed already\. Refused 4,/),
    ])
  }
  const again = await refusal(importLines(app, lines))
  for (const line of [...named, 'Line 1: Existed already', 'Line 5: Existed already'])
    expect(again).toContain(line)
  expect(again).toContain('Imported 0 users. 2 existed already. Refused 4,')
})

// A second run would give the former address, and whoever has it, an account with the former password.
test('who has changed their address is found by their id, and no one else', async () => {
  const app = await createTestApp()
  const created_at = '2020-01-01T00:00:00Z'
  const { username: _, ...line } = importedLine('alice', { external_id: '17', created_at })
  await importLines(withoutUsernames(app), [line])
  await changeUser(app, 1, { email: 'new@example.com' })
  expect(await importLines(withoutUsernames(app), [line])).toContain('Imported 0 users. 1 existed already.')
  const other = importedLine('bob', { external_id: '17' })
  await expect(importLines(app, [other])).rejects.toThrow(
    'Line 1: Has the id of a user imported before (17, bob@',
  )
  // Another system can have the same ids.
  const file = await importFile([{ id: '17', username: 'carol', email: 'carol@example.com' }])
  expect(await runCommand(app, 'import', file, '--format', 'laravel')).toContain('Imported 1 users.')
})

test('a username that is refused is made anew if none is required', async () => {
  const app = await createTestApp()
  const lines = ['ada@example.com', 'ada lovelace', ''].map((username, at) =>
    importedLine('ada', { username, email: `ada${at}@example.com` }),
  )
  await expect(importLines(app, lines)).rejects.toThrow(/^Line 1: username: Must be.*\nLine 2: .*\nLine 3: /)
  expect(await importLines(withoutUsernames(app), lines)).toBe('Imported 3 users. 0 existed already.')
  for (const id of [1, 2, 3]) expect((await readUser(app, id)).username).toMatch(/^user-/)
  expect(await importLines(withoutUsernames(app), lines)).toContain('Imported 0 users. 3 existed already.')
})

test('--with joins the files of Auth0 by id', async () => {
  const app = withoutUsernames(await createTestApp())
  const users = await importFile([
    { user_id: 'auth0|1', email: 'ada@example.com', blocked: true },
    { user_id: 'auth0|2', email: 'bob@example.com', email_verified: true },
    { user_id: 'google-oauth2|3', email: 'carl@example.com' },
  ])
  const { hashed_password } = importedLine('x') as { hashed_password?: string }
  const hashes = await importFile([
    { _id: { $oid: '1' }, email: 'ada@example.com', passwordHash: hashed_password },
    { _id: { $oid: '4' }, email: 'dora@example.com', passwordHash: hashed_password },
    { email: 'x' },
  ])
  const text = await refusal(runCommand(app, 'import', users, '--format', 'auth0', '--with', hashes))
  expect(text.split('\n')).toEqual([
    'Line 3 of the second file: No id, or one twice',
    'Line 2 of the second file: Not in the first one (auth0|4)',
    'Imported 3 users. 0 existed already.',
  ])
  const of = (email: string) => app.ctx.users.findByLogin(email)
  expect(await of('ada@example.com')).toMatchObject({ isActive: false, hashedPassword: hashed_password })
  expect(await of('bob@example.com')).toMatchObject({ isActive: true, hashedPassword: '!' })
})

test('a user whom Supabase has taken over from Firebase logs in', async () => {
  const app = await createTestApp()
  const key = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=='
  const hash = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='
  const encrypted_password = `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${key}$42xEC+ixf3L2lw==$${hash}`
  const file = await importFile([{ id: '1', username: 'ada', email: 'ada@example.com', encrypted_password }])
  expect(await runCommand(app, 'import', file, '--format', 'supabase')).toContain('Imported 1 users.')
  expect((await readUser(app, 1)).hashedPassword).not.toContain(key.slice(0, 20))
  expect((await tryLogIn(app, 'ada', 'user2password')).statusCode).toBe(401)
  expect((await tryLogIn(app, 'ada', 'user1password')).statusCode).toBe(200)
})

// The report could otherwise clear the screen, hide lines, or show text backwards.
test('what a file contains is printed without control characters', async () => {
  const app = await createTestApp()
  const text = await refusal(
    importLines(app, [importedLine('alice', { '\u001b[2J\u202e\r\nx': 1, email: '\u0007@x' })]),
  )
  expect(text).not.toMatch(/[^\P{C}\n]/u)
  expect(text).toContain('Unrecognized key')
  for (const line of text.split('\n').slice(0, -1)) expect(line).toMatch(/^Line 1: /)
})

test('a value of any kind and depth refuses its record, and not the run', async () => {
  const app = await createTestApp()
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  const strange = [deep, '{"toString":1}', '{}', '[1]', 'true'].flatMap((value) =>
    ['id', 'username', 'email', 'password', 'created_at', 'deleted_at', 'email_verified_at'].map(
      (name, at) => `{"username":"user${at}","email":"user${at}@example.com","${name}":${value}}`,
    ),
  )
  const file = await importFile([...strange, JSON.stringify({ username: 'last', email: 'last@example.com' })])
  const text = await refusal(runCommand(app, 'import', file, '--format', 'laravel', '--dry-run'))
  const [, created = ''] = /import (\d+) users/.exec(text) ?? []
  expect(new Set(text.match(/^Line \d+/gm)).size + Number(created)).toBe(strange.length + 1)
  expect(text).not.toContain(`Line ${strange.length + 1}:`)
})

test('users who are registered are not imported again', async () => {
  const app = await createTestApp()
  await register(app, 'bob')
  await expect(importLines(app, [importedLine('Bob', { email: 'bob@example.com' })])).rejects.toThrow(
    'Line 1: Email or username already registered (bob@example.com)',
  )
})
