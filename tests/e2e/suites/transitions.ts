import { describe, expect, test } from 'vitest'
import type { Dialect } from '../../../src/migrations/sql-tokens.ts'
import { STATES, type State } from '../../../src/migrations/state.ts'
import { freshFiles, LivingProject, type Modules } from '../harness/living-project.ts'
import type { Row } from '../harness/migrated-database.ts'

const START = 1_790_000_000_000
const EXPIRES = 4_000_000_000_000

/** What switches do to a database that is in use. */
export function transitionsSuite(dialect: Dialect, folders: () => Modules): void {
  const at = (ms: number) => (dialect === 'sqlite' ? String(ms) : `to_timestamp(${ms} / 1000.0)`)

  /** A project on a database of its own, with which `work` has to succeed. */
  const living = async (state: State, work: (project: LivingProject) => Promise<void>) => {
    const project = await LivingProject.create(state, dialect, folders())
    await work(project).finally(() => project.database.remove())
  }

  const rows = async (project: LivingProject, query: string): Promise<Row[]> =>
    (await project.database.rows(query)).map(plain)
  const column = async (project: LivingProject, query: string) =>
    (await rows(project, query)).map((row) => Object.values(row)[0])
  const run = (project: LivingProject, ...statements: string[]) => project.database.run(...statements)

  /** As the code of the present state registers somebody. */
  const register = (project: LivingProject, name: string) => {
    const isB = project.state.endsWith('-b')
    return run(
      project,
      `INSERT INTO users (email, username, hashed_password, created_at${isB ? ', updated_at' : ''})
       VALUES ('${name}@example.com', '${name}', 'hash of ${name}', ${at(START)}${isB ? `, ${at(START)}` : ''})`,
    )
  }
  const userId = (name: string) => `(SELECT id FROM users WHERE username = '${name}')`
  /** As the code of the present state, of mode complete, starts a session. */
  const logIn = async (project: LivingProject, name: string, token: string): Promise<number> => {
    const [columns, values] = [
      'user_id, token, expires_at, created_at',
      `${userId(name)}, '${token}', ${at(EXPIRES)}, ${at(START)}`,
    ]
    await run(
      project,
      project.state === 'complete-a'
        ? `INSERT INTO tokens (${columns}, token_type) VALUES (${values}, 'refresh')`
        : `INSERT INTO refresh_tokens (${columns}, device_name) VALUES (${values}, 'Laptop of ${name}')`,
    )
    const [session] = await rows(project, `SELECT id FROM ${sessionsOf(project)} WHERE token = '${token}'`)
    return Number(session?.id)
  }
  const sessionsOf = (project: LivingProject) =>
    project.state === 'complete-a' ? 'tokens' : 'refresh_tokens'
  /** The tokens that the code of the present state takes for live sessions. */
  const sessions = (project: LivingProject) =>
    column(
      project,
      project.state === 'complete-a'
        ? "SELECT token FROM tokens WHERE token_type = 'refresh' ORDER BY id"
        : 'SELECT token FROM refresh_tokens WHERE NOT is_revoked ORDER BY id',
    )
  /** As the code of the present state stores what it mails. */
  const mail = (project: LivingProject, name: string, kind: 'verification' | 'reset', token: string) => {
    const values = `${userId(name)}, '${token}', ${at(EXPIRES)}, ${at(START)}`
    const type = kind === 'reset' ? 'password_reset' : 'email_verification'
    return run(
      project,
      project.state === 'complete-a'
        ? `INSERT INTO tokens (user_id, token, expires_at, created_at, token_type) VALUES (${values}, '${kind}')`
        : `INSERT INTO verification_codes (user_id, code, expires_at, created_at, code_type) VALUES (${values}, '${type}')`,
    )
  }
  /** What the code of the present state would redeem. */
  const redeemable = async (project: LivingProject) =>
    (
      await rows(
        project,
        project.state === 'complete-a'
          ? "SELECT token, token_type AS kind FROM tokens WHERE token_type <> 'refresh'"
          : "SELECT code AS token, CASE code_type WHEN 'password_reset' THEN 'reset' ELSE 'verification' END AS kind FROM verification_codes WHERE NOT is_used",
      )
    )
      .map(({ token, kind }) => `${kind} ${token}`)
      .sort()
  const verified = (project: LivingProject) =>
    column(project, 'SELECT username FROM users WHERE is_verified ORDER BY username')
  /** As mode basic's code voids access tokens: from the next whole second on. */
  const endAccess = (project: LivingProject, name: string, seconds = 1) => {
    const next =
      dialect === 'sqlite'
        ? `(unixepoch() + ${seconds}) * 1000`
        : `date_trunc('second', now()) + interval '${seconds} seconds'`
    return run(project, `UPDATE users SET tokens_valid_from = ${next} WHERE username = '${name}'`)
  }

  describe.each(STATES)('from %s', (from) => {
    test.each(STATES.filter((state) => state !== from))('to %s and back', (to) =>
      living(from, async (project) => {
        if (from !== 'none') await register(project, 'alice')
        for (const state of [to, from, to]) {
          await project.to(state)
          await requireSchema(project, state)
        }
        expect(await project.generate()).toContain('No schema changes')
        if (from !== 'none') expect(await column(project, 'SELECT username FROM users')).toEqual(['alice'])
      }),
    )
  })

  /** The database has every table and column that a new one of this state has. */
  async function requireSchema(project: LivingProject, state: State): Promise<void> {
    const { tables } = JSON.parse(
      freshFiles(state, dialect).get(`migrations/${dialect}/meta/0000_snapshot.json`) ?? '',
    )
    for (const table of Object.values(tables) as { name: string; columns: object; indexes: object }[]) {
      await rows(project, `SELECT ${Object.keys(table.columns).join(', ')} FROM ${table.name}`)
      const indexes = await column(
        project,
        dialect === 'sqlite'
          ? `SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = '${table.name}'`
          : `SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = '${table.name}'`,
      )
      expect(indexes).toEqual(expect.arrayContaining(Object.keys(table.indexes)))
    }
  }

  describe('profile A and B', () => {
    test('sessions keep their ids and times, and end where they are ended', () =>
      living('complete-a', async (project) => {
        await register(project, 'alice')
        await register(project, 'bob')
        const first = await logIn(project, 'alice', 'alice-1')
        await logIn(project, 'bob', 'bob-1')
        await run(project, `UPDATE tokens SET rotated_at = ${at(START + 5)} WHERE token = 'alice-1'`)

        await project.to('complete-b')
        expect(await sessions(project)).toEqual(['alice-1', 'bob-1'])
        expect(await rows(project, `SELECT * FROM refresh_tokens WHERE id = ${first}`)).toEqual([
          {
            ...{ id: first, user_id: 1, token: 'alice-1', expires_at: EXPIRES, created_at: START },
            ...{ rotated_at: START + 5, last_used_at: START + 5, is_revoked: 0 },
            ...{ device_name: null, device_type: null, ip_address: null, user_agent: null },
          },
        ])
        expect(await rows(project, 'SELECT * FROM tokens')).toEqual([])
        await logIn(project, 'alice', 'alice-2')
        await run(project, "UPDATE refresh_tokens SET is_revoked = true WHERE token = 'bob-1'")

        await project.to('complete-a')
        expect(await sessions(project)).toEqual(['alice-1', 'alice-2'])
        const [row] = await rows(project, "SELECT * FROM tokens WHERE token = 'alice-1'")
        expect(row).toEqual({
          ...{ id: first, user_id: 1, token: 'alice-1', token_type: 'refresh', expires_at: EXPIRES },
          ...{ created_at: START, rotated_at: START + 5 },
        })
        // In profile A a session that is ended has no row any more; another one is refreshed.
        await run(project, "DELETE FROM tokens WHERE token = 'alice-1'")
        await run(project, "UPDATE tokens SET token = 'alice-2b' WHERE token = 'alice-2'")
        await logIn(project, 'bob', 'bob-2')

        await project.to('complete-b')
        expect(await sessions(project)).toEqual(['alice-2b', 'bob-2'])
        expect(
          await rows(project, "SELECT device_name FROM refresh_tokens WHERE token = 'alice-2b'"),
        ).toEqual([{ device_name: 'Laptop of alice' }])
        expect(await column(project, 'SELECT count(*) FROM refresh_tokens')).toEqual([4])
      }))

    test('no id of a session is given out twice', () =>
      living('complete-b', async (project) => {
        await register(project, 'alice')
        for (const token of ['one', 'two', 'three']) await logIn(project, 'alice', token)
        await run(project, 'UPDATE refresh_tokens SET is_revoked = true')
        await mail(project, 'alice', 'reset', 'code')
        await project.to('complete-a')
        expect(await column(project, 'SELECT id FROM tokens')).toEqual([4])
        expect(await logIn(project, 'alice', 'five')).toBe(5)
        await run(project, 'DELETE FROM tokens')
        await project.to('complete-b')
        expect(await logIn(project, 'alice', 'six')).toBe(6)
      }))

    test('what an instance of the other profile wrote after the switch is no session of somebody else', () =>
      living('complete-b', async (project) => {
        for (const name of ['alice', 'bob']) await register(project, name)
        await logIn(project, 'alice', 'one')
        await project.to('complete-a')
        const id = await logIn(project, 'alice', 'two')
        await run(
          project,
          `INSERT INTO refresh_tokens (id, user_id, token, expires_at, created_at, device_name)
           VALUES (${id}, 2, 'of bob', ${at(EXPIRES)}, ${at(START + 1)}, 'Phone of bob')`,
        )
        await project.to('complete-b')
        expect(
          await rows(project, `SELECT user_id, token, device_name FROM refresh_tokens WHERE id = ${id}`),
        ).toEqual([{ user_id: 1, token: 'two', device_name: null }])
        await run(
          project,
          `INSERT INTO tokens (id, user_id, token, token_type, expires_at, created_at)
           VALUES (${id}, 2, 'of bob', 'refresh', ${at(EXPIRES)}, ${at(START)})`,
        )
        await project.to('complete-a')
        expect(await rows(project, 'SELECT id, user_id, token FROM tokens ORDER BY id')).toEqual([
          { id: 1, user_id: 1, token: 'one' },
          { id, user_id: 1, token: 'two' },
        ])
      }))

    test('what was mailed is good once, in either profile', () =>
      living('complete-a', async (project) => {
        await register(project, 'alice')
        await mail(project, 'alice', 'verification', 'link-1')
        await mail(project, 'alice', 'reset', 'link-2')
        await project.to('complete-b')
        expect(await redeemable(project)).toEqual(['reset link-2', 'verification link-1'])
        await mail(project, 'alice', 'reset', 'code-1')
        await run(project, "UPDATE verification_codes SET is_used = true WHERE code = 'link-2'")
        await project.to('complete-a')
        expect(await redeemable(project)).toEqual(['reset code-1', 'verification link-1'])
        await run(project, "DELETE FROM tokens WHERE token = 'code-1'")
        await project.to('complete-b')
        expect(await redeemable(project)).toEqual(['verification link-1'])
        await run(project, "UPDATE verification_codes SET is_used = true WHERE code = 'link-1'")
        await project.to('complete-a')
        expect(await redeemable(project)).toEqual([])
      }))

    test('a type of token of the owner stays in its table', () =>
      living('complete-a', async (project) => {
        await register(project, 'alice')
        await run(
          project,
          `INSERT INTO tokens (user_id, token, token_type, expires_at, created_at) VALUES (1, 'x', 'invitation', ${at(EXPIRES)}, ${at(START)})`,
        )
        await logIn(project, 'alice', 'session')
        await project.to('complete-b')
        await project.to('complete-a')
        expect(await column(project, 'SELECT token_type FROM tokens ORDER BY id')).toEqual([
          'invitation',
          'refresh',
        ])
      }))

    test('a profile that is changed in mode basic, or through none, carries the sessions too', async () => {
      for (const path of [['basic-a', 'basic-b'], ['none'], ['basic-b', 'none']] as const) {
        await living('complete-a', async (project) => {
          await register(project, 'alice')
          await logIn(project, 'alice', 'session')
          for (const state of path) await project.to(state)
          await project.to('complete-b')
          expect(await sessions(project), path.join()).toEqual(['session'])
        })
      }
    })

    test('updated_at is a time of the row, whoever made it', () =>
      living('basic-b', async (project) => {
        await register(project, 'alice')
        await run(project, `UPDATE users SET updated_at = ${at(START + 7)}`)
        await project.to('basic-a')
        await register(project, 'bob')
        await project.to('basic-b')
        expect(await column(project, 'SELECT updated_at FROM users ORDER BY id')).toEqual([START + 7, START])
      }))
  })

  describe('mode complete', () => {
    test.each([
      ['unverified', []],
      ['verified', ['alice']],
    ] as const)('finds existing users %s', (existingUsers, expected) =>
      living('basic-a', async (project) => {
        await register(project, 'alice')
        const notes = await project.to('complete-a', { existingUsers })
        expect(notes.join()).toContain(`start as ${existingUsers}`)
        expect(await verified(project)).toEqual(expected)
      }),
    )

    test.each(['complete-a', 'complete-b'] as const)('%s finds what it knew after mode basic', (complete) =>
      living(complete, async (project) => {
        const names = ['alice', 'changed', 'deactivated', 'locked', 'password', 'unverified', 'gone']
        for (const name of names) {
          await register(project, name)
          await logIn(project, name, `session of ${name}`)
          await mail(project, name, 'reset', `code of ${name}`)
        }
        await run(project, "UPDATE users SET is_verified = true WHERE username <> 'unverified'")
        await project.to(complete === 'complete-a' ? 'basic-a' : 'basic-b')

        await run(
          project,
          "UPDATE users SET email = 'other@example.com' WHERE username = 'changed'",
          "UPDATE users SET is_active = false WHERE username = 'deactivated'",
          "UPDATE users SET is_active = false WHERE username = 'locked'",
          "DELETE FROM users WHERE username = 'gone'",
        )
        await endAccess(project, 'deactivated')
        await run(project, "UPDATE users SET is_active = true WHERE username = 'deactivated'")
        await endAccess(project, 'password')
        await register(project, 'new')

        await project.to(complete)
        expect(await verified(project)).toEqual(['alice', 'deactivated', 'locked', 'password'])
        expect(await sessions(project)).toEqual(
          ['alice', 'changed', 'unverified'].map((name) => `session of ${name}`),
        )
        expect(await redeemable(project)).toEqual(['reset code of alice'])
        // No copy of an address stays behind.
        expect(await column(project, 'SELECT count(*) FROM users WHERE verified_email IS NOT NULL')).toEqual([
          0,
        ])
      }),
    )

    test('knows users of mode basic as asked, and the others as it left them', () =>
      living('complete-b', async (project) => {
        for (const name of ['alice', 'bob']) await register(project, name)
        await run(project, "UPDATE users SET is_verified = true WHERE username = 'alice'")
        await project.to('basic-b')
        await run(project, "UPDATE users SET email = 'victim@example.com' WHERE username = 'alice'")
        await register(project, 'carol')
        await project.to('complete-b', { existingUsers: 'verified' })
        expect(await verified(project)).toEqual(['carol'])
      }))

    test('an access token of a session that was ended is void in mode basic', () =>
      living('complete-a', async (project) => {
        await register(project, 'alice')
        const issuedAt = Math.floor(Date.now() / 1000)
        await project.to('basic-a')
        const [validFrom] = await column(project, 'SELECT tokens_valid_from FROM users')
        expect(validFrom).toBeGreaterThan(issuedAt * 1000)
        // No whole second: what mode basic writes at this very moment is another time.
        expect(Number(validFrom) % 1000).toBe(999)
      }))

    test('the second round knows no more than the first', () =>
      living('complete-a', async (project) => {
        await register(project, 'alice')
        await run(project, 'UPDATE users SET is_verified = true')
        await project.to('basic-a')
        await project.to('complete-a')
        await run(project, "UPDATE users SET is_verified = false, email = 'new@example.com'")
        await project.to('basic-a')
        await run(project, "UPDATE users SET email = 'alice@example.com'")
        await project.to('complete-a')
        expect(await verified(project)).toEqual([])
      }))

    test('through none, nothing happens to users and sessions', () =>
      living('complete-b', async (project) => {
        await register(project, 'alice')
        await run(project, 'UPDATE users SET is_verified = true')
        await logIn(project, 'alice', 'session')
        await mail(project, 'alice', 'reset', 'code')
        await project.to('none')
        await run(project, `INSERT INTO notes (title, body, created_at) VALUES ('a', 'b', ${at(START)})`)
        await project.to('complete-b')
        expect(await sessions(project)).toEqual(['session'])
        expect(await redeemable(project)).toEqual(['reset code'])
        expect(await verified(project)).toEqual(['alice'])
        await project.to('none')
        expect(await column(project, 'SELECT title FROM notes')).toEqual(['a'])
      }))
  })

  describe('with the owner in between', () => {
    test('a table, a column, an index and a migration of his own stay', () =>
      living('basic-a', async (project) => {
        project.edits.set(
          'src/db/schema/invoices.ts',
          () => `import { id, index, integer, table, text } from '../dialect.ts'
import { users } from './users.ts'
export const invoices = table('invoices', {
  id: id(),
  userId: integer('user_id').notNull().references(() => users.id),
  reference: text('reference').notNull(),
}, (invoice) => [index('invoices_reference').on(invoice.reference)])
`,
        )
        project.edits.set('src/db/schema/users.ts', (rendered) =>
          rendered
            .replace(/( +)username: .*\n/, "$&$1nickname: text('nickname'),\n")
            .replace(
              /( +)uniqueIndex\('users_email/,
              "$1uniqueIndex('users_nickname').on(user.nickname),\n$&",
            ),
        )
        project.edit()
        expect(await project.generate()).toContain('SQL migration file')
        await project.migrate()
        await project.ownMigration(`INSERT INTO users (email, username, hashed_password, nickname, created_at)
          VALUES ('o@example.com', 'owner', 'hash', 'boss', ${at(START)});`)
        await run(project, "INSERT INTO invoices (user_id, reference) VALUES (1, '2026-1')")

        for (const state of ['complete-a', 'none', 'complete-b', 'basic-b'] as const) {
          // Mode none has no users: their file stays because it was edited.
          const keptTables = new Set(state === 'none' ? ['users'] : [])
          const usersFile = project.files.get('src/db/schema/users.ts') ?? ''
          await project.to(state, { keptTables })
          if (state === 'none') project.files.set('src/db/schema/users.ts', usersFile)
          expect(await project.generate(), state).toContain('No schema changes')
          expect(
            await rows(project, 'SELECT nickname, reference FROM users JOIN invoices ON user_id = users.id'),
          ).toEqual([{ nickname: 'boss', reference: '2026-1' }])
        }
        expect(project.journal.entries.map(({ tag }) => tag)).toEqual([
          ...['0000_init', '0001_generated', '0002_own'],
          ...['0003_complete-a', '0004_none', '0005_complete-b', '0006_basic-b'],
        ])
      }))

    test('a table that he dropped while no code used it is made anew, and no old session lives', () =>
      living('complete-b', async (project) => {
        await register(project, 'alice')
        await logIn(project, 'alice', 'one')
        await project.to('complete-a')
        await project.ownMigration('DROP TABLE refresh_tokens;')
        await logIn(project, 'alice', 'two')
        await project.to('basic-a')
        await project.ownMigration('DROP TABLE IF EXISTS "tokens";')
        await project.to('complete-b')
        expect(await project.generate()).toContain('No schema changes')
        expect(await sessions(project)).toEqual([])
        await project.to('complete-a')
        expect(await sessions(project)).toEqual([])
      }))

    test('the sessions of profile B do not come back where those of profile A were dropped', () =>
      living('complete-b', async (project) => {
        await register(project, 'alice')
        await logIn(project, 'alice', 'one')
        await project.to('complete-a')
        await run(project, 'DELETE FROM tokens')
        await project.to('basic-a')
        await project.ownMigration('DROP TABLE tokens;')
        await project.to('complete-b')
        expect(await sessions(project)).toEqual([])
      }))

    test('columns that a migration of his dropped start anew, and nobody is trusted for them', () =>
      living('complete-b', async (project) => {
        await register(project, 'alice')
        await run(project, 'UPDATE users SET is_verified = true, is_superuser = true')
        await logIn(project, 'alice', 'one')
        await mail(project, 'alice', 'reset', 'code')
        await project.to('basic-a')
        // As Drizzle Kit changes a column in SQLite: by the columns that its last snapshot has.
        const [create, ...indexes] = (
          freshFiles('basic-a', dialect).get(`migrations/${dialect}/0000_init.sql`) ?? ''
        )
          .split('--> statement-breakpoint')
          .filter((statement) => statement.includes('users') && !statement.includes('attempts'))
        const columns = 'id, email, username, hashed_password, is_active, created_at, tokens_valid_from'
        await project.ownMigration(
          dialect === 'sqlite'
            ? [
                create?.replace('`users`', '`__new_users`'),
                `INSERT INTO __new_users (${columns}) SELECT ${columns} FROM users;`,
                'DROP TABLE `users`;',
                'ALTER TABLE `__new_users` RENAME TO `users`;',
                ...indexes,
              ].join('\n--> statement-breakpoint\n')
            : ['is_verified', 'is_superuser', 'updated_at', 'last_login_at', 'verified_email', 'basic_since']
                .map((name) => `ALTER TABLE users DROP COLUMN ${name};`)
                .join('\n--> statement-breakpoint\n'),
        )
        const notes = await project.to('complete-b', { existingUsers: 'verified' })
        expect(notes.join()).toContain('users.is_superuser starts anew')
        expect(await project.generate()).toContain('No schema changes')
        expect(await rows(project, 'SELECT is_verified, is_superuser, updated_at FROM users')).toEqual([
          { is_verified: 0, is_superuser: 0, updated_at: START },
        ])
        expect(await sessions(project)).toEqual([])
        expect(await redeemable(project)).toEqual([])
      }))

    test('a last migration of the future is followed by a later one', () =>
      living('basic-b', async (project) => {
        const future = Date.UTC(2099, 0)
        await project.ownMigration('CREATE TABLE own (id integer);', undefined, future)
        await project.to('complete-b')
        expect(project.journal.entries.map(({ when }) => when)).toEqual([1767225600000, future, future + 1])
      }))
  })
}

/** A row as both databases say it: times in milliseconds, booleans as 0 and 1, numbers as numbers. */
function plain(row: Row): Row {
  const value = (each: unknown) => {
    if (each instanceof Date) return each.getTime()
    if (typeof each === 'boolean' || typeof each === 'bigint') return Number(each)
    return typeof each === 'string' && /^\d+$/.test(each) ? Number(each) : each
  }
  return Object.fromEntries(Object.entries(row).map(([key, each]) => [key, value(each)]))
}
