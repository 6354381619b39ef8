// Covers src/migrations/schema/collisions.ts: each refusal is followed by what it says to do.

import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { terminalMissing } from '../support/terminal.ts'
import type { LivingProject } from './living-project.ts'
import { serviceOn } from './service.ts'

const OWN = 'src/db/schema/own.ts'
const USERS = 'src/db/schema/users.ts'

const missing = await terminalMissing(tmpdir())

describe.skipIf(missing).each(['sqlite', 'postgres'] as const)(
  '%s: the advice of a refusal works',
  (dialect) => {
    const { living, rows, run, register } = serviceOn(dialect)

    const own = (name: string, index: string) => `import { id, index, table, text } from '../dialect.ts'
export const own = table('${name}', { id: id(), label: text('label').notNull() }, (row) => [index('${index}').on(row.label)])
`
    /** What the advice for a table says, and follows it. */
    const advice = (from: string, to: string) =>
      dialect === 'sqlite'
        ? 'run `db:generate` and choose "rename"'
        : `run \`db:generate\`, choose "create", and replace what the new migration does with both tables by \`${renaming(from, to)}\``
    const renaming = (from: string, to: string) =>
      `ALTER TABLE "${from}" RENAME TO "${to}"; ALTER SEQUENCE IF EXISTS "${from}_id_seq" RENAME TO "${to}_id_seq";`
    const rename = (project: LivingProject, from: string, to: string) =>
      dialect === 'sqlite'
        ? project.generateWith('rename')
        : project.generateWith('create', () => renaming(from, to))

    const withOwn = async (project: LivingProject, name: string, index: string) => {
      project.edits.set(OWN, () => own(name, index))
      project.edit()
      await project.generate()
      await project.migrate()
      await run(project, `INSERT INTO ${name} (label) VALUES ('mine')`)
    }

    test('a table: rename it in its schema file, and choose "rename"', () =>
      living('complete-b', async (project) => {
        await withOwn(project, 'tokens', 'own_label')
        await expect(project.to('complete-a')).rejects.toThrow(
          `Your table "tokens" has the name of a table of mode complete A. Rename yours in its schema file, ${advice('tokens', '<new name>')}, then run the command again.`,
        )
        project.edits.set(OWN, () => own('own_tokens', 'own_label'))
        project.edit()
        await rename(project, 'tokens', 'own_tokens')
        await project.to('complete-a')
        expect(await project.generate()).toContain('No schema changes')
        expect(await rows(project, 'SELECT label FROM own_tokens')).toEqual([{ label: 'mine' }])
        expect(await rows(project, 'SELECT token FROM tokens')).toEqual([])
      }))

    test('an index: rename it in its schema file', () =>
      living('basic-a', async (project) => {
        await withOwn(project, 'own', 'outbox_order')
        await expect(project.to('complete-a')).rejects.toThrow(
          'Your index "outbox_order" has the name of an index of mode complete A. Rename yours in its schema file, run `db:generate`, then run the command again.',
        )
        project.edits.set(OWN, () => own('own', 'own_order'))
        project.edit()
        await project.generate()
        await project.migrate()
        await project.to('complete-a')
        expect(await project.generate()).toContain('No schema changes')
        expect(await rows(project, 'SELECT label FROM own')).toEqual([{ label: 'mine' }])
      }))

    test('a column: rename it, column and property, and choose "rename"', () =>
      living('basic-b', async (project) => {
        const column = (name: string, property: string) => (rendered: string) =>
          rendered.replace(
            /( +)username: .*\n/,
            `$&$1${property}: boolean('${name}').notNull().default(false),\n`,
          )
        project.edits.set(USERS, column('is_verified', 'isVerified'))
        project.edit()
        await project.generate()
        await project.migrate()
        await register(project, 'alice')
        await run(project, 'UPDATE users SET is_verified = true')
        await expect(project.to('complete-b')).rejects.toThrow(
          'Your column "is_verified" of "users" has the name of a column of mode complete B. Rename yours, column and property, in its schema file, run `db:generate` and choose "rename", then run the command again.',
        )
        const text = project.files.get(USERS) ?? ''
        project.files.set(
          USERS,
          text.replace("isVerified: boolean('is_verified')", "isChecked: boolean('is_checked')"),
        )
        project.edits.set(USERS, column('is_checked', 'isChecked'))
        await project.generateWith('rename')
        await project.to('complete-b')
        expect(await project.generate()).toContain('No schema changes')
        expect(await rows(project, 'SELECT is_checked, is_verified FROM users')).toEqual([
          { is_checked: 1, is_verified: 0 },
        ])
      }))

    test('the table users, renamed: restore its name, and choose "rename"', () =>
      living('basic-b', async (project) => {
        await register(project, 'alice')
        project.edits.set(USERS, (rendered) => rendered.replace("'users',", "'members',"))
        project.edit()
        await rename(project, 'users', 'members')
        await expect(project.to('complete-b')).rejects.toThrow(
          `A migration of yours renamed or removed the table "users", which mode complete B needs. Restore its name in its schema file, ${advice('<your name>', 'users')}, then run the command again.`,
        )
        project.edits.delete(USERS)
        project.files.set(USERS, (project.files.get(USERS) ?? '').replace("'members',", "'users',"))
        await rename(project, 'members', 'users')
        await project.to('complete-b')
        expect(await project.generate()).toContain('No schema changes')
        expect(await rows(project, 'SELECT username, is_verified FROM users')).toEqual([
          { username: 'alice', is_verified: 0 },
        ])
      }))

    test('the table users, renamed in mode none: add a migration that renames it', () =>
      living('basic-b', async (project) => {
        await register(project, 'alice')
        await project.to('none')
        await project.ownMigration('ALTER TABLE users RENAME TO members')
        await expect(project.to('complete-b')).rejects.toThrow(
          'Add an empty migration with `db:generate --custom` and write `ALTER TABLE <your name> RENAME TO users` into it, then run the command again.',
        )
        await project.ownMigration('ALTER TABLE members RENAME TO users')
        await project.to('complete-b')
        expect(await project.generate()).toContain('No schema changes')
        expect(await rows(project, 'SELECT username FROM users')).toEqual([{ username: 'alice' }])
      }))

    test('a column of users, renamed in mode none: add a migration that renames it', () =>
      living('complete-a', async (project) => {
        await register(project, 'alice')
        await project.to('none')
        await project.ownMigration('ALTER TABLE users RENAME COLUMN hashed_password TO password')
        await expect(project.to('basic-a')).rejects.toThrow(
          'A migration of yours renamed or removed "hashed_password" of "users", which existing rows need. Add a migration with `ALTER TABLE users RENAME COLUMN <your name> TO hashed_password`, then run the command again.',
        )
        await project.ownMigration('ALTER TABLE users RENAME COLUMN password TO hashed_password')
        await project.to('basic-a')
        expect(await project.generate()).toContain('No schema changes')
        expect(await rows(project, 'SELECT hashed_password FROM users')).toEqual([
          { hashed_password: 'hash of alice' },
        ])
      }))
  },
)
