// Covers src/copy/copy.ts, src/copy/match.ts, src/copy/row.ts, src/copy/checksum.ts, src/copy/target.ts.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Source, Target } from '../../../src/copy/database.ts'
import { copyAll } from './copy-all.ts'
import { sourceFor } from './fake-source.ts'
import { type CopyTestTarget, copyTestTarget } from './target.ts'

describe.each(['sqlite', 'postgres'] as const)('into %s', (kind) => {
  let database: CopyTestTarget
  beforeEach(async () => {
    database = await copyTestTarget(kind)
  })

  /** Copies all of the source. */
  const copy = (source: Source, skip?: string[], change?: (target: Target) => Target) =>
    copyAll(source, database, skip, change)

  const notes = (rows: (number | string | null)[][]) => ({ columns: { id: 'bigint', title: 'text' }, rows })
  const createNotes = () => database.run('CREATE TABLE notes (id bigint PRIMARY KEY, title text)')
  const storedNotes = () => database.rows('SELECT id, title FROM notes ORDER BY id')

  describe('rows', () => {
    test('all arrive, with their count and checksum', async () => {
      await createNotes()
      const source = sourceFor(database, {
        notes: notes([
          [1, 'one'],
          [2, null],
          [3, 'žluťoučký "kůň", \\ 😀'],
        ]),
      })
      const { tables } = await copy(source)
      expect(await storedNotes()).toEqual([
        ['1', 'one'],
        ['2', null],
        ['3', 'žluťoučký "kůň", \\ 😀'],
      ])
      expect(tables).toEqual([{ name: 'notes', rows: 3, checksum: expect.stringMatching(/^[0-9a-f]{32}$/) }])
    })

    test('columns match by name in any order, even if the names need quotes', async () => {
      await database.run('CREATE TABLE "order" ("to" text, "a ""b""" text, id bigint PRIMARY KEY)')
      const columns = { id: 'bigint', 'a "b"': 'text', to: 'text' }
      await copy(sourceFor(database, { order: { columns, rows: [[1, 'first', 'second']] } }))
      expect(await database.rows('SELECT id, "a ""b""", "to" FROM "order"')).toEqual([
        ['1', 'first', 'second'],
      ])
    })

    test('may reference later rows, themselves and each other', async () => {
      await database.run(
        'CREATE TABLE people (id bigint PRIMARY KEY, mentor bigint REFERENCES people, team bigint)',
      )
      await database.run('CREATE TABLE teams (id bigint PRIMARY KEY, head bigint REFERENCES people)')
      const people = {
        columns: { id: 'bigint', mentor: 'bigint', team: 'bigint' },
        rows: [
          [1, 4, 1],
          [2, 2, 1],
          [3, 1, 1],
          [4, 3, 1],
        ],
      }
      const teams = { columns: { id: 'bigint', head: 'bigint' }, rows: [[1, 4]] }
      await copy(sourceFor(database, { teams, people }))
      expect(await database.rows('SELECT count(*) FROM people JOIN teams ON teams.id = team')).toEqual([
        ['4'],
      ])
      // Foreign keys are enforced again after the copy.
      await expect(database.run('INSERT INTO teams VALUES (2, 99)')).rejects.toThrow(/foreign key/i)
    })

    test('that reference a missing row are refused', async () => {
      await database.run('CREATE TABLE people (id bigint PRIMARY KEY, mentor bigint REFERENCES people)')
      const people = { columns: { id: 'bigint', mentor: 'bigint' }, rows: [[1, 9]] }
      await expect(copy(sourceFor(database, { people }))).rejects.toThrow(/not (there|present)|people/)
      expect(await database.rows('SELECT count(*) FROM people')).toEqual([['0']])
    })

    test('of computed columns are computed again', async () => {
      await database.run(
        'CREATE TABLE items (id bigint PRIMARY KEY, price bigint, twice bigint GENERATED ALWAYS AS (price * 2) STORED)',
      )
      const columns = { id: 'bigint', price: 'bigint', twice: 'bigint' }
      await copy(sourceFor(database, { items: { columns, rows: [[1, 21, 42]] } }))
      expect(await database.rows('SELECT twice FROM items')).toEqual([['42']])
    })

    test('that the target refuses are named', async () => {
      await database.run('CREATE TABLE notes (id bigint PRIMARY KEY, title text NOT NULL UNIQUE)')
      const twice = sourceFor(database, {
        notes: notes([
          [1, 'one'],
          [2, 'two'],
          [3, 'two'],
        ]),
      })
      await expect(copy(twice)).rejects.toThrow(/^notes, id 3: .*unique/i)
      const none = sourceFor(database, {
        notes: notes([
          [1, 'one'],
          [2, null],
        ]),
      })
      await expect(copy(none)).rejects.toThrow(/^notes, id 2: .*null/i)
      expect(await storedNotes()).toEqual([])
    })
  })

  test('no id is assigned twice, not even the id of a deleted row', async () => {
    for (const name of ['never', 'deleted', 'kept', 'above'])
      await database.run(`CREATE TABLE ${name} (id ${database.countingKey}, title text)`)
    const columns = { id: 'bigint', title: 'text' }
    await copy(
      sourceFor(database, {
        never: { columns, rows: [], counter: 0 },
        deleted: { columns, rows: [], counter: 7 },
        kept: { columns, rows: [[3, 'c']], counter: 9 },
        above: { columns, rows: [[50, 'e']], counter: 4 },
      }),
    )
    for (const [name, next] of Object.entries({ never: '1', deleted: '8', kept: '10', above: '51' })) {
      await database.run(`INSERT INTO ${name} (title) VALUES ('next')`)
      expect([name, await database.rows(`SELECT max(id) FROM ${name}`)]).toEqual([name, [[next]]])
    }
  })

  describe('nothing is copied', () => {
    test('when the target has rows', async () => {
      await createNotes()
      await database.run(`INSERT INTO notes VALUES (5, 'mine')`)
      await database.run('CREATE TABLE tags (id integer)')
      await database.run('INSERT INTO tags VALUES (1), (2)')
      const source = sourceFor(database, { notes: notes([[1, 'one']]) })
      await expect(copy(source)).rejects.toThrow(
        /^The target is not empty \(rows in notes: 1, tags: 2\)\. .*--skip notes tags$/,
      )
      expect(await storedNotes()).toEqual([['5', 'mine']])
      expect((await copy(source, ['notes', 'tags'])).tables).toEqual([])
    })

    test('when the target lacks a table or column that the source uses', async () => {
      await createNotes()
      const columns = { id: 'bigint', title: 'text', color: 'text', shape: 'text' }
      const source = sourceFor(database, {
        notes: { columns, rows: [[1, 'one', 'red', null]] },
        photos: { columns: { id: 'bigint' }, rows: [[1]] },
        empty: { columns: { id: 'bigint' }, rows: [] },
      })
      await expect(copy(source)).rejects.toThrow('--skip notes.color --skip photos')
      expect(await storedNotes()).toEqual([])
      await copy(source, ['notes.color', 'photos'])
      expect(await storedNotes()).toEqual([['1', 'one']])
    })

    test('when the source lacks a table or column of the target, because its migrations are older', async () => {
      await createNotes()
      await database.run('CREATE TABLE sessions (id bigint PRIMARY KEY)')
      const source = sourceFor(database, { notes: { columns: { id: 'bigint' }, rows: [[1]] } })
      await expect(copy(source)).rejects.toThrow('--skip sessions --skip notes.title')
      await copy(source, ['sessions', 'notes.title'])
      expect(await storedNotes()).toEqual([['1', null]])
    })

    test('when --skip names a table that neither database has', async () => {
      await createNotes()
      const source = sourceFor(database, { notes: notes([]) })
      await expect(copy(source, ['note'])).rejects.toThrow('`--skip`: neither database has note')
    })

    test('when the source changed during the copy', async () => {
      await createNotes()
      const source = { ...sourceFor(database, { notes: notes([[1, 'one']]) }), hasChanged: async () => true }
      await expect(copy(source)).rejects.toThrow('Stop everything that uses it')
      expect(await storedNotes()).toEqual([])
    })

    test('when the written rows differ from the rows read', async () => {
      await createNotes()
      const source = sourceFor(database, {
        notes: notes([
          [1, 'one'],
          [2, 'two'],
        ]),
      })
      const changing = (change: (title: string) => string | null) => (target: Target) => ({
        ...target,
        insert: (...[table, columns, rows]: Parameters<Target['insert']>) =>
          target.insert(
            table,
            columns,
            rows.map(([id = null, title]) => [id, change(title ?? '')]),
          ),
      })
      await expect(
        copy(
          source,
          [],
          changing((title) => title.toUpperCase()),
        ),
      ).rejects.toThrow(/^notes: the rows in the target differ from those in the source \(2 of 2 rows/)
      const losing = (target: Target): Target => ({ ...target, insert: async () => {} })
      await expect(copy(source, [], losing)).rejects.toThrow('(0 of 2 rows')
      expect(await storedNotes()).toEqual([])
      await copy(source)
      expect(await storedNotes()).toEqual([
        ['1', 'one'],
        ['2', 'two'],
      ])
    })

    test('when the connection breaks in the middle, and the next run succeeds', async () => {
      await createNotes()
      const whole = sourceFor(database, {
        notes: notes([
          [1, 'one'],
          [2, 'two'],
          [3, 'three'],
        ]),
      })
      const broken: Source = {
        ...whole,
        async *rows(table, columns) {
          for await (const batch of whole.rows(table, columns)) {
            yield batch
            throw new Error('connection lost')
          }
        },
      }
      await expect(copy(broken)).rejects.toThrow('connection lost')
      expect(await storedNotes()).toEqual([])
      await copy(whole)
      expect(await storedNotes()).toHaveLength(3)
    })
  })
})
