import { describe, expect, it } from 'vitest'
import { STATES, type State } from '../../../src/migrations/state.ts'
import { statementsOf } from '../../../src/migrations/statements.ts'
import {
  type Column,
  DIALECTS,
  fresh,
  type JournalFile,
  journalOf,
  journalPath,
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

  it.each(PAIRS)(
    'from %s to %s, and back, and there again, knows the code as in a new project',
    (from, to) => {
      const files = project(dialect, from, to, from, to)
      expect(schemaOf(snapshotOf(files, dialect))).toEqual(schemaOf(snapshotOf(fresh(to, dialect), dialect)))
      expect(schemaOf(snapshotOf(files, dialect, -2))).toEqual(
        schemaOf(snapshotOf(fresh(from, dialect), dialect)),
      )
      expect(journalOf(files, dialect).entries).toHaveLength(4)
    },
  )

  it.each(PAIRS)('from %s to %s drops nothing, and makes nothing twice', (from, to) => {
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

  it('adds three files and changes none but the journal, by one entry', () => {
    const before = fresh('basic-a', dialect)
    const { files } = switched(dialect, ['basic-a'], 'complete-b')
    expect([...files.keys()].sort()).toEqual([
      `migrations/${dialect}/0001_complete-b.sql`,
      `migrations/${dialect}/meta/0001_snapshot.json`,
      journalPath(dialect),
    ])
    const { entries, ...journal } = journalOf(files, dialect)
    const { entries: older, ...olderJournal } = journalOf(before, dialect)
    expect(journal).toEqual(olderJournal)
    expect(entries).toEqual([
      ...older,
      { ...older[0], idx: 1, when: 1_800_000_000_000, tag: '0001_complete-b' },
    ])
  })

  it('names the snapshot before it, and gives the same id each time, and never one twice', () => {
    const before = project(dialect, 'basic-a', 'basic-b')
    const { files } = switched(dialect, ['basic-a', 'basic-b'], 'basic-a', { files: before })
    expect(snapshotOf(files, dialect).prevId).toBe(snapshotOf(before, dialect).id)
    expect(project(dialect, 'basic-a', 'basic-b', 'basic-a')).toEqual(new Map([...before, ...files]))
    const again = project(dialect, 'basic-a', 'basic-b', 'basic-a', 'basic-b')
    const ids = [0, 1, 2, 3].map((index) => snapshotOf(again, dialect, index).id)
    expect(new Set(ids).size).toBe(4)
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-[48][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  })

  it('to the present state does nothing', () => {
    for (const state of STATES) {
      expect(switched(dialect, [state], state)).toEqual({ files: new Map(), notes: [] })
    }
  })

  it('to the present state of a newer version adds what is new, and touches no row', () => {
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

  it('is numbered after the last one, also where one was taken out before it', () => {
    const files = withJson<JournalFile>(fresh('basic-a', dialect), journalPath(dialect), ({ entries }) => {
      Object.assign(entries[0] ?? {}, { idx: 4 })
    })
    const journal = journalOf(switched(dialect, ['basic-a'], 'basic-b', { files }).files, dialect)
    expect(journal.entries.at(-1)).toMatchObject({ idx: 5, tag: '0005_basic-b' })
  })

  it('comes after a journal of the future', () => {
    const files = withJson<JournalFile>(fresh('basic-a', dialect), journalPath(dialect), ({ entries }) => {
      Object.assign(entries[0] ?? {}, { when: 9_000_000_000_000 })
    })
    const journal = journalOf(switched(dialect, ['basic-a'], 'basic-b', { files }).files, dialect)
    expect(journal.entries.at(-1)?.when).toBe(9_000_000_000_001)
  })

  it.each([
    ['20261231235959', '20270115080000_basic-b'],
    ['1799999999', '1800000000_basic-b'],
  ])('goes on with the numbers of a journal that says %s', (prefix, tag) => {
    const files = withJson<JournalFile>(fresh('basic-a', dialect), journalPath(dialect), ({ entries }) => {
      Object.assign(entries[0] ?? {}, { tag: `${prefix}_init` })
    })
    files.set(`migrations/${dialect}/${prefix}_init.sql`, '')
    files.set(`migrations/${dialect}/meta/${prefix}_snapshot.json`, files.get(SNAPSHOT) ?? '')
    const result = switched(dialect, ['basic-a'], 'basic-b', { files }).files
    expect(journalOf(result, dialect).entries.at(-1)?.tag).toBe(tag)
    expect([...result.keys()]).toContain(`migrations/${dialect}/meta/${tag.split('_')[0]}_snapshot.json`)
  })

  it('is refused where no number would come last', () => {
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
      'run "npx drizzle-kit up" first',
    )
  })

  describe("with the owner's", () => {
    const key = (table: string) => (dialect === 'sqlite' ? table : `public.${table}`)
    const column = (name: string): Column => ({ name, type: 'text', notNull: false })
    /** The project with a migration of his own. */
    const changed = (state: State, sql: string, change: (snapshot: SnapshotFile) => void) =>
      withMigration(fresh(state, dialect), dialect, sql, change)
    const table = (name: string, ...columns: string[]) => ({
      ...{ name, schema: '', indexes: {}, foreignKeys: {} },
      columns: Object.fromEntries(columns.map((each) => [each, column(each)])),
    })
    const columnsOf = (files: ReadonlyMap<string, string>, name: string) =>
      Object.keys(snapshotOf(files, dialect).tables[key(name)]?.columns ?? {})

    it('table and column, they stay', () => {
      const files = changed('basic-a', 'CREATE TABLE invoices (a text)', ({ tables }) => {
        tables[key('invoices')] = table('invoices', 'a')
        Object.assign(tables[key('users')]?.columns ?? {}, { nickname: column('nickname') })
      })
      const result = switched(dialect, ['basic-a'], 'complete-b', { files }).files
      expect(columnsOf(result, 'invoices')).toEqual(['a'])
      expect(columnsOf(result, 'users')).toEqual(expect.arrayContaining(['nickname', 'is_verified']))
      expect(sqlOf(result, dialect)).not.toMatch(/nickname|invoices/)
    })

    it('removal of a column and an index of ours, they stay away', () => {
      const drop = 'ALTER TABLE users DROP COLUMN is_active; DROP INDEX attempts_ends_at;'
      const files = changed('basic-a', drop, ({ tables }) => {
        delete tables[key('users')]?.columns.is_active
        delete tables[key('attempts')]?.indexes.attempts_ends_at
      })
      const result = switched(dialect, ['basic-a'], 'basic-b', { files }).files
      expect(columnsOf(result, 'users')).not.toContain('is_active')
      expect(sqlOf(result, dialect)).not.toMatch(/is_active|attempts/)
      // Without the files of last time, nobody can tell what he removed.
      const guess = switched(dialect, ['basic-a'], 'basic-b', { files, base: new Map() }).files
      expect(columnsOf(guess, 'users')).toContain('is_active')
      expect(sqlOf(guess, dialect)).toContain('is_active')
      expect(sqlOf(guess, dialect)).toContain('attempts_ends_at')
    })

    it('definition of a column, it stays', () => {
      const files = changed('basic-a', '', ({ tables }) => {
        Object.assign(tables[key('users')]?.columns.username ?? {}, { type: 'varchar' })
      })
      const result = switched(dialect, ['basic-a'], 'basic-b', { files }).files
      expect(snapshotOf(result, dialect).tables[key('users')]?.columns.username?.type).toBe('varchar')
    })

    it('edited schema file, its table stays in the snapshot', () => {
      const { files } = switched(dialect, ['complete-a'], 'basic-a', { keptTables: new Set(['outbox']) })
      expect(Object.keys(snapshotOf(files, dialect).tables).sort()).toEqual(
        ['attempts', 'outbox', 'users'].map(key),
      )
    })

    it('table where one of ours goes, it is refused', () => {
      const files = changed('basic-a', 'CREATE TABLE tokens (id int, colour text)', ({ tables }) => {
        tables[key('tokens')] = table('tokens', 'id', 'colour')
      })
      expect(() => switched(dialect, ['basic-a'], 'complete-a', { files })).toThrow(
        expect.objectContaining({
          code: 'refused',
          message: expect.stringMatching(/^the table "tokens" of yours is in the way [^\n]*"user_id"/),
        }),
      )
    })

    it('table that has all that ours needs, it is taken', () => {
      const init = fresh('none', dialect).get(`migrations/${dialect}/0000_init.sql`) ?? ''
      const notes = snapshotOf(fresh('none', dialect), dialect).tables[key('notes')]
      const files = changed('basic-a', init, ({ tables }) => {
        if (notes) tables[key('notes')] = notes
      })
      const result = switched(dialect, ['basic-a'], 'none', { files }).files
      expect(sqlOf(result, dialect)).not.toContain('CREATE')
    })
  })

  it('makes a table that was dropped anew, with its indexes and constraints', () => {
    const left = project(dialect, 'complete-b', 'basic-b')
    const drop = dialect === 'sqlite' ? 'DROP TABLE refresh_tokens' : 'DROP TABLE "refresh_tokens" CASCADE'
    const files = withMigration(left, dialect, drop, () => {})
    const result = switched(dialect, ['complete-b', 'basic-b'], 'complete-b', { files }).files
    const init = fresh('complete-b', dialect).get(`migrations/${dialect}/0000_init.sql`) ?? ''
    const ofTable = statementsOf(init, dialect)
      .filter((statement) => 'table' in statement && statement.table === 'refresh_tokens')
      .map(({ text }) => text)
    expect(ofTable.length).toBeGreaterThan(3)
    expect(sqlOf(result, dialect).split('\n--> statement-breakpoint\n')).toEqual(
      expect.arrayContaining(ofTable),
    )
    expect(sqlOf(result, dialect)).not.toContain('outbox')
  })

  it('knows what a migration made whose SQL says nothing of it', () => {
    // As Drizzle Kit writes down a database that it was shown.
    const sql = `migrations/${dialect}/0000_init.sql`
    const files = new Map(fresh('complete-a', dialect)).set(
      sql,
      `/* ${fresh('complete-a', dialect).get(sql)} */`,
    )
    for (const [path, text] of switched(dialect, ['complete-a'], 'none', { files }).files)
      files.set(path, text)
    const result = switched(dialect, ['complete-a', 'none'], 'complete-a', { files }).files
    expect(sqlOf(result, dialect)).not.toContain('CREATE')
  })

  it('says what stays behind, and what users are', () => {
    expect(switched(dialect, ['complete-a'], 'none').notes).toEqual([
      'no code uses attempts, outbox, tokens, users any more: the database keeps them, with their rows',
    ])
    expect(switched(dialect, ['basic-a'], 'complete-a').notes).toEqual([
      'users who registered in mode basic start as unverified',
    ])
    expect(switched(dialect, ['none'], 'complete-a').notes).toEqual([
      'no code uses notes any more: the database keeps them, with their rows',
    ])
  })

  it('leaves a migration of comments where the database has it all', () => {
    const files = project(dialect, 'none', 'basic-a', 'none')
    expect(sqlOf(files, dialect)).toBe('-- The code has fewer tables now; those of the database stay.\n')
  })

  it('gives every rule a comment that says what it is for', () => {
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

  it('have a default for each column that another state has not: it writes rows without it', () => {
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
