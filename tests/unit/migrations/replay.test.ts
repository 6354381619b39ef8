// Covers src/migrations/replay.ts, src/migrations/generated.ts.
import { describe, expect, it } from 'vitest'
import { STATES, type State } from '../../../src/answers/variant.ts'
import { replay } from '../../../src/migrations/replay.ts'
import type { ExistingUsers } from '../../../src/migrations/rows/rule.ts'
import type { Files } from '../../../src/system/file-system.ts'
import { olderTables } from '../../support/older-version.ts'
import {
  DIALECTS,
  fresh,
  journalOf,
  project,
  type SnapshotFile,
  snapshotOf,
  sqlOf,
  withJson,
  withMigration,
} from './fixtures.ts'

describe.each(DIALECTS)('the migrations of another database, %s', (dialect) => {
  const other = dialect === 'sqlite' ? 'postgres' : 'sqlite'
  const replayed = (
    history: readonly State[],
    migrated: number,
    files: ReadonlyMap<string, string>,
    existingUsers: ExistingUsers = 'unverified',
    rendered = (state: State): Files => fresh(state, dialect),
  ) =>
    replay({
      dialect,
      files,
      history,
      migrated,
      fresh: rendered,
      existingUsers,
      ever: [],
      wanted: [],
      hasTablesOf: () => false,
      keptTables: new Set(),
      now: 1_800_000_000_000,
    })
  const tags = (files: ReadonlyMap<string, string>) => journalOf(files, dialect).entries.map(({ tag }) => tag)
  const tablesOf = (files: ReadonlyMap<string, string>) =>
    Object.keys(snapshotOf(files, dialect).tables).sort()

  it('start with the first state, then follow the others', () => {
    const files = project(other, 'none', 'basic-a', 'complete-b')
    const result = replayed(['none', 'basic-a', 'complete-b'], 0, files).files
    expect(tags(result)).toEqual(
      dialect === 'sqlite'
        ? ['0000_init', '0001_basic-a', '0002_complete-b', '0003_complete-b-rows']
        : [
            ...['0000_init', '0001_basic-a', '0002_complete-b', '0003_complete-b-indexes'],
            ...['0004_complete-b-constraints', '0005_complete-b-rows', '0006_complete-b-rows'],
          ],
    )
    expect(tablesOf(result)).toEqual(tablesOf(fresh('complete-b', dialect)))
    expect([...result.keys()].every((path) => path.startsWith(`migrations/${dialect}/`))).toBe(true)
    const times = journalOf(result, dialect).entries.map(({ when }) => when)
    expect(new Set(times).size).toBe(times.length)
  })

  it('are the same as in a new project if there was only one state', () => {
    const result = replayed(['complete-a'], 0, fresh('complete-a', other)).files
    for (const [path, text] of result) expect(fresh('complete-a', dialect).get(path)).toBe(text)
    expect(result.size).toBe(3)
  })

  it('continue from the last state that they followed', () => {
    const files = new Map([...project(dialect, 'basic-a', 'basic-b'), ...project(other, 'basic-a')])
    const result = replayed(['basic-a', 'basic-b', 'complete-b', 'complete-b', 'none'], 2, files).files
    expect(tags(result)).toEqual([
      ...['0000_init', '0001_basic-b', '0002_basic-b-rows'],
      ...(dialect === 'sqlite'
        ? ['0003_complete-b', '0004_complete-b-rows', '0005_none']
        : ['0003_complete-b', '0004_complete-b-indexes', '0005_complete-b-constraints']),
      ...(dialect === 'sqlite' ? [] : ['0006_complete-b-rows', '0007_none']),
    ])
    expect([...result.keys()]).not.toContain(`migrations/${dialect}/0001_basic-b.sql`)
    expect(tablesOf(result)).toEqual(tablesOf(fresh('none', dialect)))
  })

  it('have the snapshot of a new project after every history, so that Drizzle Kit finds no difference', () => {
    const schemaOf = ({ id: _, prevId: __, ...schema }: SnapshotFile) => schema
    const others = (state: State) => STATES.filter((other) => other !== state)
    const histories = STATES.flatMap((first) =>
      others(first).flatMap((second) => [
        [first, second],
        ...others(second).map((third) => [first, second, third]),
      ]),
    )
    for (const history of histories) {
      const files = replayed(history, 0, fresh(history[0] as State, other)).files
      const last = fresh(history.at(-1) as State, dialect)
      expect(schemaOf(snapshotOf(files, dialect)), history.join()).toEqual(
        schemaOf(snapshotOf(last, dialect)),
      )
    }
  })

  it.each(STATES)('of an older version have the snapshot of a new project, in %s', (state) => {
    const schemaOf = ({ id: _, prevId: __, ...schema }: SnapshotFile) => schema
    const old = olderTables(fresh(state, dialect), dialect)
    const { files } = replayed([state], 1, old)
    const all = new Map([...old, ...files])
    expect(schemaOf(snapshotOf(all, dialect))).toEqual(schemaOf(snapshotOf(fresh(state, dialect), dialect)))
  })

  it.each<[State[], number, string[]]>([
    [['none', 'basic-a', 'none'], 0, ['attempts', 'retired_names', 'users']],
    [['none', 'basic-a', 'none', 'basic-a'], 0, ['notes']],
    [['basic-a', 'none', 'basic-a'], 1, ['notes']],
    [['complete-b', 'none', 'complete-b'], 1, ['notes']],
  ])('of %s leave only tables that the last state does not use', (history, migrated, tables) => {
    const files = new Map([
      ...project(other, ...history),
      ...(migrated > 0 ? project(dialect, ...history.slice(0, migrated)) : []),
    ])
    expect(replayed(history, migrated, files).left).toEqual(tables)
  })

  it('of an empty database say nothing about its users', () => {
    const files = project(other, 'basic-a', 'complete-a')
    expect(replayed(['basic-a', 'complete-a'], 0, files).notes).toEqual([])
    const both = new Map([...files, ...project(dialect, 'basic-a')])
    expect(replayed(['basic-a', 'complete-a'], 1, both).notes).toEqual([
      'users who registered in mode basic start as unverified',
    ])
  })

  it('set what --existing-users says only for the last switch, and say so: it is unknown what an earlier one said', () => {
    const history: State[] = ['basic-a', 'complete-a', 'basic-a', 'complete-b']
    const files = project(dialect, 'basic-a')
    const { files: added, notes } = replayed(history, 1, files, 'verified')
    const joining = [...added.values()].flatMap(
      (text) => /^-- (Users who registered in mode basic start as \w+)/m.exec(text)?.[1] ?? [],
    )
    expect(joining).toEqual([
      'Users who registered in mode basic start as unverified',
      'Users who registered in mode basic start as verified',
    ])
    expect(notes.filter((note) => note.startsWith('users'))).toEqual([
      'users who registered in mode basic before an earlier switch start as unverified: --existing-users is for the last one',
      'users who registered in mode basic start as verified',
    ])
    const { notes: ofDefault } = replayed(history, 1, files)
    expect(ofDefault.filter((note) => note.startsWith('users'))).toEqual([
      'users who registered in mode basic start as unverified',
    ])
    const ofDatabase = replayed(['basic-a', 'complete-a', 'complete-b'], 1, files, 'verified')
    expect(ofDatabase.notes.filter((note) => note.startsWith('users'))).toEqual([
      'users who registered in mode basic start as verified',
    ])
  })

  it('do not change if nothing happened since', () => {
    const files = project(dialect, 'basic-a', 'basic-b')
    expect(replayed(['basic-a', 'basic-b'], 2, files)).toEqual({ files: new Map(), left: [], notes: [] })
  })

  it('get the additions of a newer version to the last state that they followed', () => {
    const sql = `migrations/${dialect}/0000_init.sql`
    const files = withJson<SnapshotFile>(
      fresh('basic-a', dialect),
      `migrations/${dialect}/meta/0000_snapshot.json`,
      ({ tables }) => {
        delete Object.values(tables).find(({ name }) => name === 'attempts')?.indexes.attempts_ends_at
      },
    )
    files.set(sql, (files.get(sql) ?? '').replace(/CREATE INDEX .attempts_ends_at.*\n/, ''))
    const result = replayed(['basic-a'], 1, files).files
    expect(sqlOf(result, dialect)).toMatch(/^CREATE INDEX (CONCURRENTLY )?.attempts_ends_at[^\n]*\n$/)
  })

  it('do not keep the tables and columns that a newer version no longer has, but those of the owner', () => {
    const files = withMigration(fresh('complete-b', dialect), dialect, '', ({ tables }) => {
      for (const { name, columns } of Object.values(tables))
        if (name === 'outbox') columns.own = { name: 'own', type: 'text', notNull: false }
    })
    const newer = (state: State) =>
      withJson<SnapshotFile>(
        olderTables(fresh(state, dialect), dialect),
        `migrations/${dialect}/meta/0000_snapshot.json`,
        ({ tables }) => {
          for (const { name, columns } of Object.values(tables)) if (name === 'outbox') delete columns.user_id
        },
      )
    const result = replayed(['complete-b'], 1, files, 'unverified', newer).files
    const tables = Object.values(snapshotOf(result, dialect).tables)
    expect(tables.map(({ name }) => name)).not.toContain('mail_requests')
    const columns = Object.keys(tables.find(({ name }) => name === 'outbox')?.columns ?? {})
    expect(columns).toContain('own')
    expect(columns).not.toContain('user_id')
    expect(sqlOf(result, dialect)).not.toMatch(/DROP/)
  })

  it('are not created in a folder that the owner wrote', () => {
    expect(() => replayed(['none'], 0, fresh('none', dialect))).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringContaining('Move it away') }),
    )
  })

  it('are not brought up to date without the folder', () => {
    expect(() => replayed(['none', 'basic-a'], 1, new Map())).toThrow('_journal.json is missing')
  })
})
