import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isCurrentHash, verifyHash } from '../../src/passwords/hashes.ts'
import { password, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { fixture, withoutUsernames } from '../support/import.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The example of github.com/firebase/scrypt. */
const firebase = {
  FIREBASE_SIGNER_KEY:
    'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
}

/** A user of a fixture: whether they are active and verified, and whether they have a password. */
type Expected = [isActive: boolean, isVerified: boolean, given: string | undefined]

const inUse: Expected = [true, true, password]

interface Fixture {
  /** Where the names of its fields and its hashes come from. */
  source: string
  format: string
  file: string
  /** By the part of the email before the @. */
  users: Record<string, Expected>
  ids: string
  prints?: string
}

const fixtures: Fixture[] = [
  {
    source:
      'auth0.com/docs/manage-users/user-migration/bulk-user-exports; password hashes as its support exports them',
    format: 'auth0',
    file: 'auth0.ndjson',
    users: { ada: inUse, blaise: [false, false, undefined] },
    ids: 'auth0|60425dc43519d90068f82973,1\nauth0|60425da93519d90068f82966,2\n',
  },
  {
    source: 'clerk.com/docs/guides/development/migrating/export-from-clerk, the CSV of the dashboard',
    format: 'clerk',
    file: 'clerk.csv',
    users: { ada: inUse, blaise: [true, false, undefined] },
    ids: 'user_2yDNPKxKJpp1iSfMsZTIhMXbIfq,1\nuser_2yDPtQNq0wRHBS3gmB3tCnHcjpD,2\n',
  },
  {
    source: 'Django 3.2: manage.py dumpdata auth.user, with its five password hashers',
    format: 'django',
    file: 'django.json',
    users: {
      ada: [true, false, password],
      blaise: [true, false, password],
      carl: [true, false, password],
      dora: [true, false, password],
      emmy: [false, false, undefined],
      fritz: [true, false, undefined],
    },
    ids: '1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n',
    prints: '1 were superusers elsewhere, and are none here',
  },
  ...['firebase.json', 'firebase.csv'].map((file) => ({
    source:
      'github.com/firebase/firebase-tools, src/accountExporter.ts; the hash of github.com/firebase/scrypt',
    format: 'firebase',
    file,
    users: {
      ada: [true, true, 'user1password'],
      blaise: [false, false, undefined],
    } satisfies Fixture['users'],
    ids: '0Qcyq3uUsTYVZgyQc6hzV0yjbWb2,1\n7dPQ3mQkq4TgNgCzlS4pLwPp1yX2,2\n',
  })),
  {
    source: 'the columns of User in the specification, times as Pydantic writes them',
    format: 'forge',
    file: 'forge.ndjson',
    users: { ada: inUse, blaise: [false, false, undefined] },
    ids: '1,1\n2,2\n',
    prints: '1 were superusers elsewhere, and are none here',
  },
  {
    source:
      'www.keycloak.org/server/importExport, kc.sh export --users; credentials of the providers argon2 and pbkdf2',
    format: 'keycloak',
    file: 'keycloak.json',
    users: { ada: inUse, blaise: inUse, carl: inUse, dora: inUse, emmy: [false, false, undefined] },
    ids: Array.from(
      { length: 5 },
      (_, at) => `2ff4b4d0-fd72-4c6e-9684-02ab3376870${at + 1},${at + 1}\n`,
    ).join(''),
  },
  {
    source:
      'laravel/laravel, database/migrations/0001_01_01_000000_create_users_table.php, as phpMyAdmin exports it',
    format: 'laravel',
    file: 'laravel.csv',
    users: { ada: inUse, blaise: [true, false, undefined] },
    ids: '1,1\n2,2\n',
  },
  {
    source: 'github.com/supabase/auth, migrations/: the columns of auth.users, as COPY writes them',
    format: 'supabase',
    file: 'supabase.csv',
    users: { ada: inUse, blaise: [false, false, undefined] },
    ids: 'a6a1ed4f-1c1d-4c39-9f1d-3a0f6c1f6f01,1\nb6a1ed4f-1c1d-4c39-9f1d-3a0f6c1f6f02,2\n',
  },
  {
    source:
      'WordPress, wp-admin/includes/schema.php (wp_users) and wp-includes/pluggable.php (wp_hash_password)',
    format: 'wordpress',
    file: 'wordpress.csv',
    users: { ada: [true, false, password], blaise: [true, false, password] },
    ids: '1,1\n2,2\n',
  },
]

const userOf = async (app: TestApp, name: string) => {
  const user = await app.ctx.users.findByLogin(`${name}@example.com`)
  if (!user) throw new Error(`${name} was not imported`)
  return user
}

/** Logs in with the password of the other system. Then the hash is one of this service, of the same password. */
async function expectLogIn(app: TestApp, name: string, given: string) {
  expect((await tryLogIn(app, `${name}@example.com`, 'Wrong-Horse-7')).statusCode).toBe(401)
  expect((await tryLogIn(app, `${name}@example.com`, given)).statusCode, name).toBe(200)
  const { hashedPassword } = await userOf(app, name)
  expect(isCurrentHash(hashedPassword, app.config.credentials), name).toBe(true)
  expect(await verifyHash(given, hashedPassword)).toBe(true)
}

test.each(fixtures)('the users of $file log in with their passwords', async (expected) => {
  const { format, file, users, ids, prints = '' } = expected
  const app = await createTestApp({ ...firebase, RATE_LIMIT_ENABLED: 'false' })
  const map = join(await temporaryFolder(), 'ids.csv')
  const options = ['--format', format, '--map', map]
  const printed = await runCommand(withoutUsernames(app), 'import', fixture(file), ...options)
  expect(printed).toContain(
    `Imported ${Object.keys(users).length} users. 0 existed already.${prints && `\n${prints}`}`,
  )
  expect(await readFile(map, 'utf8')).toBe(`external_id,id\n${ids}`)
  for (const [name, [isActive, isVerified, given]] of Object.entries(users)) {
    // Mode basic has no isVerified.
    const user = Object.assign({ isVerified }, await userOf(app, name))
    expect(user).toMatchObject({ isActive, isVerified })
    const isMade = ['firebase', 'supabase'].includes(format)
    expect(user.username).toMatch(isMade ? /^user-[0-9a-hjkmnp-tv-z]{10}$/ : new RegExp(`^${name}$`))
    if (!['auth0', 'clerk', 'wordpress'].includes(format))
      expect(user.createdAt.toISOString()).toMatch(/^2024-03-01T10:20:30/)
    if (given) await expectLogIn(app, name, given)
  }
})

// Each from the tool that makes it: Passlib 1.7 and phpBB's phpass, Django 5 for its scrypt.
test('each kind of hash is verified, and replaced at the first login', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const names = (await readFile(fixture('hashes.ndjson'), 'utf8')).trim().split('\n')
  expect(await runCommand(app, 'import', fixture('hashes.ndjson'))).toContain(
    `Imported ${names.length} users.`,
  )
  for (const line of names) await expectLogIn(app, JSON.parse(line).username, password)
})

test('the project key of Firebase must be set', async () => {
  const app = await createTestApp()
  const options = ['--format', 'firebase']
  await expect(runCommand(app, 'import', fixture('firebase.json'), ...options)).rejects.toMatchObject({
    exitCode: 1,
    message: 'Set FIREBASE_SIGNER_KEY: without it, the imported users cannot log in.',
  })
})

test('an unknown format is wrong usage', async () => {
  const app = await createTestApp()
  await expect(
    runCommand(app, 'import', fixture('forge.ndjson'), '--format', 'toString'),
  ).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/^There is no format "toString"\. Formats: auth0, clerk, /),
  })
})
