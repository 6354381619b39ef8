// Covers src/migrations/drizzle-kit/append.ts, src/migrations/notes.ts, src/migrations/schema/schema-sql.ts,
// src/migrations/drizzle-kit/snapshot.ts, src/migrations/schema/collisions.ts, src/migrations/schema/database-schema.ts, src/migrations/rows/rule.ts,
// src/migrations/rows/rules.ts, src/migrations/rows/modes.ts, src/migrations/rows/profiles.ts.
import { describe, expect, it } from 'vitest'
import { STATES, type State } from '../../../src/answers/variant.ts'
import { RECOGNIZED } from '../../../src/migrations/drizzle-kit/append.ts'
import { leftNotes, waitingNotes } from '../../../src/migrations/notes.ts'
import { statementsOf } from '../../../src/migrations/sql/statements.ts'
import {
  type Column,
  DIALECTS,
  fresh,
  type JournalFile,
  journalOf,
  journalPath,
  lastSwitch,
  project,
  type SnapshotFile,
  snapshotOf,
  sqlOf,
  switched,
  withJson,
  withMigration,
} from './fixtures.ts'

const PAIRS = STATES.flatMap((from) => STATES.filter((to) => to !== from).map((to) => [from, to] as const))

describe.each(DIALECTS)('a switch on %s', (dialect) => {
  const schemaOf = ({ id: _, prevId: __, ...schema }: SnapshotFile) => schema
  const SNAPSHOT = `migrations/${dialect}/meta/0000_snapshot.json`

  it.each(PAIRS)('from %s to %s, back and there again has the snapshot of a new project', (from, to) => {
    for (const states of [
      [from, to, from],
      [from, to, from, to],
    ]) {
      const files = project(dialect, ...states)
      const expected = snapshotOf(fresh(states.at(-1) as State, dialect), dialect)
      for (const index of lastSwitch(files, dialect).keys())
        expect(schemaOf(snapshotOf(files, dialect, -1 - index))).toEqual(schemaOf(expected))
    }
  })

  it.each(PAIRS)('from %s to %s drops nothing, and creates nothing twice', (from, to) => {
    const files = project(dialect, from, to, from, to)
    const statements = [...files]
      .filter(([path]) => path.endsWith('.sql'))
      .flatMap(([, sql]) => statementsOf(sql, dialect))
    expect(statements.filter(({ kind }) => kind.startsWith('drop'))).toEqual([])
    const made = statements.flatMap((statement) => {
      if (statement.kind === 'create-table') return [statement.table]
      if (statement.kind === 'create-index') return [statement.index]
      if (statement.kind !== 'alter-table') return []
      return statement.changes.map(
        (change) => `${statement.table}.${'name' in change ? change.name : change.to}`,
      )
    })
    expect(made).toEqual([...new Set(made)])
  })

  it('adds migrations for tables, indexes and rows, and changes no file but the journal', () => {
    const before = fresh('basic-a', dialect)
    const { files } = switched(dialect, ['basic-a'], 'complete-b')
    const tags =
      dialect === 'sqlite'
        ? ['0001_complete-b', '0002_complete-b-rows']
        : [
            ...['0001_complete-b', '0002_complete-b-indexes'],
            ...['0003_complete-b-constraints', '0004_complete-b-rows', '0005_complete-b-rows'],
          ]
    expect([...files.keys()].sort()).toEqual([
      ...tags.map((tag) => `migrations/${dialect}/${tag}.sql`),
      ...tags.map((tag) => `migrations/${dialect}/meta/${tag.slice(0, 4)}_snapshot.json`),
      journalPath(dialect),
    ])
    for (const tag of tags)
      expect(files.get(`migrations/${dialect}/${tag}.sql`)).not.toMatch(
        tag.endsWith('-rows') ? /^(CREATE|ALTER|DROP)/m : /^(UPDATE|DELETE|INSERT)/m,
      )
    const { entries, ...journal } = journalOf(files, dialect)
    const { entries: older, ...olderJournal } = journalOf(before, dialect)
    expect(journal).toEqual(olderJournal)
    expect(entries).toEqual([
      ...older,
      ...tags.map((tag, index) => ({
        ...older[0],
        idx: index + 1,
        when: 1_800_000_000_000 - 600_000 + index * 1000,
        tag,
      })),
    ])
  })

  it.each(PAIRS)('from %s to %s has the same SQL when it is repeated', (from, to) => {
    const at = (now: number, before: ReadonlyMap<string, string>) => {
      const { files } = switched(dialect, [from], to, { now, files: before })
      return lastSwitch(files, dialect).map(({ tag }) => files.get(`migrations/${dialect}/${tag}.sql`))
    }
    const own = withMigration(fresh(from, dialect), dialect, 'CREATE TABLE own (id integer);', () => {})
    expect(at(1_900_000_000_000, own)).toEqual(at(1_800_000_000_000, fresh(from, dialect)))
  })

  it('marks what the service may recognize by its SQL', () => {
    const { files } = switched(dialect, ['basic-b'], 'complete-b')
    const marked = lastSwitch(files, dialect).map(({ tag }) => [
      tag.endsWith('-rows'),
      files.get(`migrations/${dialect}/${tag}.sql`)?.startsWith(RECOGNIZED),
    ])
    expect(new Set(marked.map(String))).toEqual(new Set(['false,true', 'true,false']))
    expect(fresh('basic-b', dialect).get('src/db/applied.ts')).toContain(RECOGNIZED.trim())
  })

  it('is dated after the last one', () => {
    const files = project(dialect, 'none', 'basic-a', 'none', 'basic-a', 'none', 'basic-b', 'complete-b')
    const times = journalOf(files, dialect).entries.map(({ when }) => when)
    expect(times).toEqual([...new Set(times)].sort((one, other) => one - other))
  })

  // Drizzle Kit 1.0 will name a migration after its second, without the number that orders them.
  it('has a second of its own for each migration, and none in the future', () => {
    const files = project(dialect, 'basic-a', 'complete-b', 'none', 'complete-a')
    const times = journalOf(files, dialect).entries.map(({ when }) => when)
    const seconds = times.map((time) => Math.floor(time / 1000))
    expect(new Set(seconds).size).toBe(times.length)
    expect(Math.max(...times)).toBeLessThan(1_800_000_000_000)
  })

  it('refers to the previous snapshot, with an id that is reproducible and unique', () => {
    const before = project(dialect, 'basic-a', 'basic-b')
    const { files } = switched(dialect, ['basic-a', 'basic-b'], 'basic-a', { files: before })
    expect(snapshotOf(files, dialect).prevId).toBe(snapshotOf(before, dialect).id)
    const { entries } = journalOf(before, dialect)
    entries.slice(1).forEach((_, index) => {
      expect(snapshotOf(before, dialect, index + 1).prevId).toBe(snapshotOf(before, dialect, index).id)
    })
    expect(project(dialect, 'basic-a', 'basic-b', 'basic-a')).toEqual(new Map([...before, ...files]))
    const again = project(dialect, 'basic-a', 'basic-b', 'basic-a', 'basic-b')
    const ids = [...journalOf(again, dialect).entries.keys()].map(
      (index) => snapshotOf(again, dialect, index).id,
    )
    expect(ids.length).toBeGreaterThan(4)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-[48][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  })

  it('to the current state does nothing', () => {
    for (const state of STATES) {
      expect(switched(dialect, [state], state)).toEqual({ files: new Map(), left: [], notes: [] })
    }
  })

  it('to the current state of a newer version adds what is new, and changes no rows', () => {
    const column = { name: 'locale', type: 'text', primaryKey: false, notNull: false, autoincrement: false }
    const next = withJson<SnapshotFile>(fresh('complete-b', dialect), SNAPSHOT, ({ tables }) => {
      Object.assign(Object.values(tables).find(({ name }) => name === 'users')?.columns ?? {}, {
        locale: column,
      })
    })
    const sql = `migrations/${dialect}/0000_init.sql`
    const quote = dialect === 'sqlite' ? '`' : '"'
    next.set(
      sql,
      (next.get(sql) ?? '')
        .replace(/(.)created_at. [^\n]*\n\)/, `$&`)
        .replace(/.username./, '$1locale$1 text,\n\t$&')
        .replace('$1locale$1', `${quote}locale${quote}`),
    )
    const { files } = switched(dialect, ['complete-b'], 'complete-b', { next })
    expect(sqlOf(files, dialect)).toBe(
      dialect === 'sqlite'
        ? 'ALTER TABLE `users` ADD `locale` text;\n'
        : 'ALTER TABLE "users" ADD COLUMN "locale" text;\n',
    )
  })

  it('is numbered after the last one, even if an earlier one was removed', () => {
    const files = withJson<JournalFile>(fresh('basic-a', dialect), journalPath(dialect), ({ entries }) => {
      Object.assign(entries[0] ?? {}, { idx: 4 })
    })
    const journal = journalOf(switched(dialect, ['basic-a'], 'basic-b', { files }).files, dialect)
    expect(journal.entries.at(-1)).toMatchObject({ idx: 6, tag: '0006_basic-b-rows' })
  })

  it('dates its rows after the last migration, even if that is in the future', () => {
    const files = withJson<JournalFile>(fresh('basic-a', dialect), journalPath(dialect), ({ entries }) => {
      Object.assign(entries[0] ?? {}, { when: 9_000_000_000_000 })
    })
    const journal = journalOf(switched(dialect, ['basic-a'], 'basic-b', { files }).files, dialect)
    const [init, tables, rows] = journal.entries.map(({ when }) => when)
    expect(tables).toBeGreaterThan(Number(init))
    expect(rows).toBe(Number(tables) + 1000)
  })

  it.each([
    ['20261231235959', ['20270115075000_basic-b', '20270115075001_basic-b-rows']],
    ['20270115080000', ['20270115080001_basic-b', '20270115080002_basic-b-rows']],
    ['1799999000', ['1799999400_basic-b', '1799999401_basic-b-rows']],
    ['1799999999', ['1800000000_basic-b', '1800000001_basic-b-rows']],
  ])('continues the numbering of a journal with %s', (prefix, tags) => {
    const files = withJson<JournalFile>(fresh('basic-a', dialect), journalPath(dialect), ({ entries }) => {
      Object.assign(entries[0] ?? {}, { tag: `${prefix}_init` })
    })
    files.set(`migrations/${dialect}/${prefix}_init.sql`, '')
    files.set(`migrations/${dialect}/meta/${prefix}_snapshot.json`, files.get(SNAPSHOT) ?? '')
    const result = switched(dialect, ['basic-a'], 'basic-b', { files }).files
    expect(lastSwitch(result, dialect).map(({ tag }) => tag)).toEqual(tags)
    for (const tag of tags)
      expect([...result.keys()]).toContain(`migrations/${dialect}/meta/${tag.split('_')[0]}_snapshot.json`)
  })

  it('is refused if no number would sort last', () => {
    const files = withJson<JournalFile>(fresh('basic-a', dialect), journalPath(dialect), ({ entries }) => {
      Object.assign(entries[0] ?? {}, { tag: 'zzz_init' })
    })
    files.set(`migrations/${dialect}/zzz_init.sql`, '')
    files.set(`migrations/${dialect}/meta/zzz_snapshot.json`, files.get(SNAPSHOT) ?? '')
    expect(() => switched(dialect, ['basic-a'], 'basic-b', { files })).toThrow('not numbered in the order')
  })

  it('is refused for snapshots of an older Drizzle Kit', () => {
    const files = withJson<SnapshotFile>(fresh('basic-a', dialect), SNAPSHOT, (snapshot) => {
      snapshot.version = '5'
    })
    expect(() => switched(dialect, ['basic-a'], 'basic-b', { files })).toThrow(
      'Run `npx drizzle-kit up` first',
    )
  })

  describe('with a migration of the owner', () => {
    const key = (table: string) => (dialect === 'sqlite' ? table : `public.${table}`)
    const column = (name: string): Column => ({ name, type: 'text', notNull: false })
    /** The project with a migration that the owner added. */
    const changed = (state: State, sql: string, change: (snapshot: SnapshotFile) => void) =>
      withMigration(fresh(state, dialect), dialect, sql, change)
    const table = (name: string, ...columns: string[]) => ({
      ...{ name, schema: '', indexes: {}, foreignKeys: {} },
      columns: Object.fromEntries(columns.map((each) => [each, column(each)])),
    })
    const columnsOf = (files: ReadonlyMap<string, string>, name: string) =>
      Object.keys(snapshotOf(files, dialect).tables[key(name)]?.columns ?? {})

    it('keeps their table and column', () => {
      const files = changed('basic-a', 'CREATE TABLE invoices (a text)', ({ tables }) => {
        tables[key('invoices')] = table('invoices', 'a')
        Object.assign(tables[key('users')]?.columns ?? {}, { nickname: column('nickname') })
      })
      const result = switched(dialect, ['basic-a'], 'complete-b', { files }).files
      expect(columnsOf(result, 'invoices')).toEqual(['a'])
      expect(columnsOf(result, 'users')).toEqual(expect.arrayContaining(['nickname', 'is_verified']))
      expect(sqlOf(result, dialect)).not.toMatch(/nickname|invoices/)
    })

    it('does not restore a generated column and index that they removed', () => {
      const drop = 'ALTER TABLE users DROP COLUMN is_active; DROP INDEX attempts_ends_at;'
      const files = changed('basic-a', drop, ({ tables }) => {
        delete tables[key('users')]?.columns.is_active
        delete tables[key('attempts')]?.indexes.attempts_ends_at
      })
      const result = switched(dialect, ['basic-a'], 'basic-b', { files }).files
      expect(columnsOf(result, 'users')).not.toContain('is_active')
      expect(sqlOf(result, dialect)).not.toMatch(/is_active|attempts/)
    })

    it('keeps their definition of a column', () => {
      const files = changed('basic-a', '', ({ tables }) => {
        Object.assign(tables[key('users')]?.columns.username ?? {}, { type: 'varchar' })
      })
      const result = switched(dialect, ['basic-a'], 'basic-b', { files }).files
      expect(snapshotOf(result, dialect).tables[key('users')]?.columns.username?.type).toBe('varchar')
    })

    it('keeps the table of a schema file that they edited in the snapshot', () => {
      const { files } = switched(dialect, ['complete-a'], 'basic-a', { keptTables: new Set(['outbox']) })
      expect(Object.keys(snapshotOf(files, dialect).tables).sort()).toEqual(
        ['attempts', 'outbox', 'retired_names', 'users'].map(key),
      )
    })

    it.each([
      ['complete-b', 'complete-a', 'tokens'],
      ['none', 'basic-a', 'users'],
      ['basic-a', 'none', 'notes'],
    ] as const)('is refused for their table with the name of a new one, %s → %s: %s', (from, to, name) => {
      // It even has the right columns, but its rows are theirs.
      const like = snapshotOf(fresh(to, dialect), dialect)
      const create = statementsOf(sqlOf(fresh(to, dialect), dialect), dialect).find(
        (statement) => statement.kind === 'create-table' && statement.table === name,
      )
      const files = changed(from, create?.text ?? '', ({ tables }) => {
        const same = like.tables[key(name)]
        if (same) tables[key(name)] = same
      })
      expect(() => switched(dialect, [from], to, { files })).toThrow(
        expect.objectContaining({
          code: 'refused',
          message: expect.stringMatching(new RegExp(`^Your table "${name}" has the name of a table of `)),
        }),
      )
      expect(() => switched(dialect, [from, to, from], to, { files })).not.toThrow()
    })

    it('knows the tables of a switch that was forgotten after its migration was written', () => {
      const files = project(dialect, 'none', 'complete-b')
      expect(switched(dialect, ['none'], 'complete-b', { files }).files).toEqual(new Map())
      expect(() => switched(dialect, ['none'], 'basic-b', { files })).not.toThrow()
      const renamed = withJson<JournalFile>(files, journalPath(dialect), ({ entries }) => {
        for (const entry of entries) if (entry.idx === 1) entry.tag = '0001_own'
      })
      renamed.set(`migrations/${dialect}/0001_own.sql`, sqlOf(files, dialect))
      expect(() => switched(dialect, ['none'], 'complete-b', { files: renamed })).toThrow(/^Your table /)
    })

    it('is refused for their column with the name of a new one', () => {
      const files = changed('basic-a', 'ALTER TABLE users ADD is_verified boolean', ({ tables }) => {
        Object.assign(tables[key('users')]?.columns ?? {}, { is_verified: column('is_verified') })
      })
      expect(() => switched(dialect, ['basic-a'], 'complete-b', { files })).toThrow(
        expect.objectContaining({
          code: 'refused',
          message: expect.stringMatching(
            /^Your column "is_verified" of "users" has the name of a column of .* Rename yours, column and property, in its schema file, run /,
          ),
        }),
      )
      expect(() => switched(dialect, ['complete-a', 'basic-a'], 'complete-b', { files })).not.toThrow()
    })

    it.each([
      ['basic-a', 'complete-b', 'users_unclaimed'],
      ['basic-a', 'complete-b', 'outbox_order'],
      ['basic-b', 'complete-b', 'users_pending_email_token_unique'],
      ['complete-a', 'complete-b', 'refresh_tokens_user_revoked'],
    ] as const)('is refused for their index with the name of a new one, %s → %s: %s', (from, to, name) => {
      const files = changed(
        from,
        `CREATE TABLE own (id integer); CREATE INDEX ${name} ON own (id);`,
        ({ tables }) => {
          tables[key('own')] = { ...table('own', 'id'), indexes: { [name]: { name } } }
        },
      )
      expect(() => switched(dialect, [from], to, { files })).toThrow(
        expect.objectContaining({
          code: 'refused',
          message: `Your index "${name}" has the name of an index of mode complete B. Rename yours in its schema file, run \`db:generate\`, then run the command again.`,
        }),
      )
      expect(() => switched(dialect, [from, to, from], to, { files })).not.toThrow()
    })

    it('is refused if they renamed the table users, unless no table refers to it', () => {
      const files = changed('basic-a', 'ALTER TABLE users RENAME TO members', ({ tables }) => {
        const { [key('users')]: users, ...others } = tables
        if (users) Object.assign(others, { [key('members')]: { ...users, name: 'members' } })
        for (const name of Object.keys(tables)) delete tables[name]
        Object.assign(tables, others)
      })
      for (const to of ['basic-b', 'complete-a', 'complete-b'] as const)
        expect(() => switched(dialect, ['basic-a'], to, { files })).toThrow(
          expect.objectContaining({
            code: 'refused',
            message: expect.stringMatching(
              /^A migration of yours renamed or removed the table "users".*run `db:generate`/,
            ),
          }),
        )
      expect(switched(dialect, ['basic-a'], 'basic-a', { files }).files).toEqual(new Map())
      expect(() => switched(dialect, ['basic-a'], 'none', { files })).not.toThrow()
    })

    it.each(PAIRS)('follows the one into which they squashed all others, from %s to %s', (from, to) => {
      const all = project(dialect, from, to, from)
      const squashed = withJson<JournalFile>(all, journalPath(dialect), (journal) => {
        journal.entries = [
          { ...journal.entries[0], idx: 0, when: 1_780_000_000_000, tag: '0000_all' },
        ] as never
      })
      const sql = journalOf(all, dialect).entries.map(
        ({ tag }) => all.get(`migrations/${dialect}/${tag}.sql`) ?? '',
      )
      squashed.set(`migrations/${dialect}/0000_all.sql`, sql.join('--> statement-breakpoint\n'))
      squashed.set(SNAPSHOT, JSON.stringify(snapshotOf(all, dialect)))
      const result = switched(dialect, [from, to, from], to, { files: squashed }).files
      expect(schemaOf(snapshotOf(result, dialect))).toEqual(schemaOf(snapshotOf(fresh(to, dialect), dialect)))
      expect(sqlOf(result, dialect)).not.toMatch(/^(CREATE|ALTER TABLE .* ADD)/m)
    })

    it('keeps their name of a column of users', () => {
      const rename = 'ALTER TABLE users RENAME COLUMN hashed_password TO password'
      const files = changed('basic-a', rename, ({ tables }) => {
        const columns = tables[key('users')]?.columns ?? {}
        Object.assign(columns, { password: { ...columns.hashed_password, name: 'password' } })
        delete columns.hashed_password
      })
      const result = switched(dialect, ['basic-a'], 'complete-b', { files }).files
      expect(columnsOf(result, 'users')).toEqual(expect.arrayContaining(['password', 'is_verified']))
      expect(sqlOf(result, dialect)).not.toContain('hashed_password')
    })

    it(`${dialect === 'sqlite' ? 'is' : 'is not'} refused for a table whose name differs only in its case`, () => {
      const create =
        dialect === 'sqlite'
          ? 'CREATE TABLE `Tokens` (`id` integer);'
          : 'CREATE TABLE "Tokens" ("id" integer);'
      const files = changed('complete-b', create, ({ tables }) => {
        tables[key('Tokens')] = table('Tokens', 'id')
      })
      const switching = () => switched(dialect, ['complete-b'], 'complete-a', { files })
      if (dialect === 'sqlite') expect(switching).toThrow(/^Your table "tokens" has the name of a table of /)
      else expect(switching).not.toThrow()
      // Drizzle Kit writes such a migration for an existing database (drizzle-kit pull).
      const pulled = changed('complete-b', `/* ${create} */`, ({ tables }) => {
        tables[key('Tokens')] = table('Tokens', 'id')
      })
      const again = () => switched(dialect, ['complete-b'], 'complete-a', { files: pulled })
      if (dialect === 'sqlite') expect(again).toThrow(/^Your table "tokens" has the name of a table of /)
      else expect(again).not.toThrow()
    })

    it('is refused if they removed a column that is required and has no default', () => {
      const drop = 'ALTER TABLE users RENAME COLUMN hashed_password TO password'
      const files = changed('complete-a', drop, ({ tables }) => {
        delete tables[key('users')]
      })
      const left = { files, base: fresh('none', dialect) }
      expect(() => switched(dialect, ['complete-a', 'none'], 'basic-a', left)).toThrow(
        expect.objectContaining({
          code: 'refused',
          message: expect.stringMatching(
            /^A migration of yours renamed or removed "hashed_password" of "users".*RENAME COLUMN <your name> TO hashed_password/,
          ),
        }),
      )
    })
  })

  it('creates a dropped table again, with its indexes and constraints', () => {
    const left = project(dialect, 'complete-b', 'basic-b')
    const drop = dialect === 'sqlite' ? 'DROP TABLE email_changes' : 'DROP TABLE "email_changes" CASCADE'
    const files = withMigration(left, dialect, drop, () => {})
    const result = switched(dialect, ['complete-b', 'basic-b'], 'complete-b', { files }).files
    const init = fresh('complete-b', dialect).get(`migrations/${dialect}/0000_init.sql`) ?? ''
    const ofTable = statementsOf(init, dialect)
      .filter((statement) => 'table' in statement && statement.table === 'email_changes')
      .map(({ text }) => text)
    expect(ofTable.length).toBeGreaterThan(3)
    expect(sqlOf(result, dialect).split('\n--> statement-breakpoint\n')).toEqual(
      expect.arrayContaining(ofTable),
    )
    expect(sqlOf(result, dialect)).not.toContain('outbox')
  })

  it('knows what a migration created even if its SQL does not show it', () => {
    // Drizzle Kit writes such a migration for an existing database (drizzle-kit pull).
    const sql = `migrations/${dialect}/0000_init.sql`
    const files = new Map(fresh('complete-a', dialect)).set(
      sql,
      `/* ${fresh('complete-a', dialect).get(sql)} */`,
    )
    for (const [path, text] of switched(dialect, ['complete-a'], 'none', { files }).files)
      files.set(path, text)
    const result = switched(dialect, ['complete-a', 'none'], 'complete-a', { files }).files
    expect(sqlOf(result, dialect)).not.toMatch(/CREATE|ADD CONSTRAINT/)
  })

  it('notes what a rebuilt table of users loses, where a switch to mode basic keeps it there', () => {
    const rebuilds = (past: readonly State[], to: State) =>
      switched(dialect, past, to).notes.filter((note) => note.includes('rebuilds users'))
    const note =
      'if a migration of yours rebuilds users in mode basic, as db:generate does on SQLite for a changed column, everyone is unverified and logged out after a switch back to mode complete'
    const expected = dialect === 'sqlite' ? [note] : []
    expect(rebuilds(['complete-b'], 'basic-b')).toEqual(expected)
    expect(rebuilds(['complete-a', 'none'], 'basic-b')).toEqual(expected)
    expect(rebuilds(['complete-b', 'basic-b'], 'basic-a')).toEqual([])
    expect(rebuilds(['complete-b', 'basic-b'], 'complete-b')).toEqual([])
    expect(rebuilds(['complete-b'], 'none')).toEqual([])
  })

  it('notes which tables stay, and whether users are verified', () => {
    const { left } = switched(dialect, ['complete-a'], 'none')
    expect(left).toEqual([
      'attempts',
      'email_changes',
      'mail_requests',
      'outbox',
      'retired_names',
      'tokens',
      'users',
    ])
    expect(leftNotes(left)).toEqual([
      'tables that the code no longer uses, which stay in the database with their rows: attempts, email_changes, mail_requests, outbox, retired_names, tokens, users',
    ])
    expect(switched(dialect, ['basic-a'], 'complete-a')).toMatchObject({
      left: [],
      notes: ['users who registered in mode basic start as unverified'],
    })
    expect(switched(dialect, ['none'], 'complete-a')).toMatchObject({ left: ['notes'], notes: [] })
    expect(leftNotes([])).toEqual([])
  })

  it('notes that the emails that wait have to be sent first, if the new mode sends none', () => {
    const note = (mode: string) =>
      `emails that wait are not sent in mode ${mode}: before you deploy, keep the old version running until this returns 0: SELECT count(*) FROM outbox WHERE sent_at IS NULL AND failed_at IS NULL`
    expect(waitingNotes('complete-a', 'basic-b')).toEqual([note('basic')])
    expect(waitingNotes('complete-b', 'none')).toEqual([note('none')])
    expect(waitingNotes('complete-a', 'complete-b')).toEqual([])
    expect(waitingNotes('basic-a', 'none')).toEqual([])
  })

  it('writes a migration with only a comment if the database needs no change', () => {
    const files = project(dialect, 'none', 'basic-a', 'none')
    expect(sqlOf(files, dialect)).toBe('-- The code no longer uses some tables. They stay in the database.\n')
  })

  it('writes a comment for every rule that says what it is for', () => {
    for (const [from, to] of PAIRS) {
      const parts = sqlOf(project(dialect, from, to), dialect).split('--> statement-breakpoint\n')
      for (const part of parts) {
        if (!/^(CREATE|ALTER TABLE [`"])/.test(part))
          expect(part, `${from} → ${to}`).toMatch(/^-- [A-Z].+[.]\n|^[A-Z]/)
      }
    }
  })
})

describe('the tables of the blueprints', () => {
  const PATH = (dialect: string) => `migrations/${dialect}/meta/0000_snapshot.json`
  const tables = DIALECTS.flatMap((dialect) =>
    STATES.flatMap((state) =>
      Object.entries((JSON.parse(fresh(state, dialect).get(PATH(dialect)) ?? '') as SnapshotFile).tables).map(
        ([table, { columns }]) => ({ dialect, state, table, columns }),
      ),
    ),
  )

  it('define a column in the same way in each state', () => {
    const definitions = new Map<string, Set<string>>()
    for (const { dialect, table, columns } of tables) {
      for (const [name, column] of Object.entries(columns)) {
        const key = `${dialect} ${table}.${name}`
        definitions.set(key, (definitions.get(key) ?? new Set()).add(JSON.stringify(column)))
      }
    }
    expect([...definitions].filter(([, found]) => found.size > 1)).toEqual([])
    expect(definitions.size).toBeGreaterThan(60)
  })

  it('have a default for each column that another state lacks, because its code writes rows without it', () => {
    const faults = tables.flatMap(({ dialect, table, columns }) =>
      tables
        .filter((other) => other.dialect === dialect && other.table === table)
        .flatMap((other) =>
          Object.values(columns)
            .filter((column) => !other.columns[column.name] && column.notNull && column.default === undefined)
            .map((column) => `${table}.${column.name}`),
        ),
    )
    expect(faults).toEqual([])
  })
})
