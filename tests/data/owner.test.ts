import { describe, expect, test } from 'vitest'
import { freshFiles } from './living-project.ts'
import { START, serviceOn } from './service.ts'

describe.each(['sqlite', 'postgres'] as const)('%s: changes by the owner between switches', (dialect) => {
  const { at, living, rows, run, register, logIn, sessions, mail, redeemable } = serviceOn(dialect)

  test('a custom table, column, index and migration are kept', () =>
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
          .replace(/( +)uniqueIndex\('users_email/, "$1uniqueIndex('users_nickname').on(user.nickname),\n$&"),
      )
      project.edit()
      expect(await project.generate()).toContain('SQL migration file')
      await project.migrate()
      await project.ownMigration(`INSERT INTO users (email, username, hashed_password, nickname, created_at)
        VALUES ('o@example.com', 'owner', 'hash', 'boss', ${at(START)});`)
      await run(project, "INSERT INTO invoices (user_id, reference) VALUES (1, '2026-1')")

      for (const state of ['complete-a', 'none', 'complete-b', 'basic-b'] as const) {
        // Mode none has no users, but the edited schema file stays.
        const keptTables = new Set(state === 'none' ? ['users'] : [])
        const usersFile = project.files.get('src/db/schema/users.ts') ?? ''
        await project.to(state, { keptTables })
        if (state === 'none') project.files.set('src/db/schema/users.ts', usersFile)
        expect(await project.generate(), state).toContain('No schema changes')
        expect(
          await rows(project, 'SELECT nickname, reference FROM users JOIN invoices ON user_id = users.id'),
        ).toEqual([{ nickname: 'boss', reference: '2026-1' }])
      }
      const built = dialect === 'sqlite' ? [] : ['complete-a-indexes', 'complete-a-constraints']
      expect(project.journal.entries.map(({ tag }) => tag)).toEqual(
        [
          ...['init', 'generated', 'own', 'complete-a', ...built, 'complete-a-rows', 'none'],
          ...['complete-b', ...(dialect === 'sqlite' ? [] : ['complete-b-rows'])],
          ...['complete-b-rows', 'basic-b', 'basic-b-rows'],
        ].map((name, index) => `${String(index).padStart(4, '0')}_${name}`),
      )
    }))

  test('a change of a column of users, for which SQLite copies the table, keeps the unique indexes', () =>
    living('basic-a', async (project) => {
      await register(project, 'alice')
      project.edits.set('src/db/schema/users.ts', (rendered) =>
        rendered.replace("text('hashed_password').notNull()", "text('hashed_password')"),
      )
      project.edit()
      expect(await project.generate()).toContain('SQL migration file')
      await project.migrate()
      await project.to('complete-b')
      await expect(register(project, 'ALICE')).rejects.toThrow(/unique/i)
      expect(await project.generate()).toContain('No schema changes')
    }))

  test('a table dropped while unused is created again, and no old session is valid', () =>
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

  test('sessions of profile B are not restored if the owner dropped the table of profile A', () =>
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

  test("columns dropped by the owner's migration start empty, and verify no user", () =>
    living('complete-b', async (project) => {
      await register(project, 'alice')
      await run(project, 'UPDATE users SET is_verified = true, is_superuser = true')
      await logIn(project, 'alice', 'one')
      await mail(project, 'alice', 'reset', 'code')
      await project.to('basic-a')
      // Drizzle Kit rebuilds the table in SQLite with the columns of its last snapshot.
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
          : ['is_verified', 'is_superuser', 'updated_at', 'last_login_at', 'kept_email', 'basic_since']
              .map((name) => `ALTER TABLE users DROP COLUMN ${name};`)
              .join('\n--> statement-breakpoint\n'),
      )
      const notes = await project.to('complete-b', { existingUsers: 'verified' })
      expect(notes.join()).toContain(
        'users.is_superuser is empty, because an earlier migration of the project dropped it',
      )
      expect(await project.generate()).toContain('No schema changes')
      expect(await rows(project, 'SELECT is_verified, is_superuser, updated_at FROM users')).toEqual([
        { is_verified: 0, is_superuser: 0, updated_at: START },
      ])
      expect(await sessions(project)).toEqual([])
      expect(await redeemable(project)).toEqual([])
    }))

  test('the rows of a switch are dated after a migration dated in the future', () =>
    living('basic-b', async (project) => {
      const future = Date.UTC(2099, 0)
      await project.ownMigration('CREATE TABLE own (id integer);', undefined, future)
      await project.to('complete-b')
      const times = project.journal.entries.map(({ when }) => when)
      expect(times).toEqual([
        1767225600000,
        future,
        ...times.slice(2).map((_, index) => future + 1000 * (index + 1)),
      ])
    }))
})
