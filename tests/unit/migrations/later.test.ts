// Covers src/migrations/later.ts, src/migrations/entities.ts, src/migrations/upgrade.ts, src/migrations/read-file.ts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { STATES, type State } from '../../../src/answers/variant.ts'
import { droppedNotes } from '../../../src/migrations/dropped.ts'
import { type Entity, entitiesOf, grouped } from '../../../src/migrations/entities.ts'
import { readFolder } from '../../../src/migrations/folder.ts'
import { replay } from '../../../src/migrations/replay.ts'
import type { Dialect } from '../../../src/migrations/sql/tokens.ts'
import { upgraded, upgradedFiles } from '../../../src/migrations/upgrade.ts'
import { isObject, sortedByKey } from '../../../src/system/json.ts'
import { DIALECTS, fresh, project, switched, withJson } from './fixtures.ts'

interface Candidate {
  /** Basic A after `drizzle-kit up`, with a migration of the owner's, on PostgreSQL one with renames, and an empty one. */
  folders: Record<Dialect, Record<string, string>>
  /**
   * What `drizzle-kit generate` writes for a new project, by variant (`complete-b-sqlite`), and what that project had in
   * blueprints/.
   */
  generated: Record<string, { sql: string; ddl: Entity[]; blueprint: Record<string, string> }>
}

/** Written by Drizzle Kit 1.0.0-rc.5. */
const CANDIDATE: Candidate = JSON.parse(
  brotliDecompressSync(readFileSync(join(import.meta.dirname, 'candidate.json.br'))).toString(),
)

interface Written {
  id: string
  prevIds: string[]
  ddl?: Entity[]
  deltas?: { op: string; key?: string; row?: Entity }[]
}

const generated = (state: State, dialect: Dialect) => {
  const { sql = '', ddl = [], blueprint = {} } = CANDIDATE.generated[`${state}-${dialect}`] ?? {}
  return { sql, ddl, blueprint: new Map(Object.entries(blueprint)) }
}
const candidate = (dialect: Dialect) => new Map(Object.entries(CANDIDATE.folders[dialect]))
const isSnapshot = (path: string) => path.endsWith('/snapshot.json')
const pathsIn = (files: ReadonlyMap<string, string>) => [...files.keys()].filter(isSnapshot).sort()
const read = (files: ReadonlyMap<string, string>, path: string): Written => JSON.parse(files.get(path) ?? '')
const sqlIn = (files: ReadonlyMap<string, string>) =>
  [...files].filter(([path]) => path.endsWith('.sql')).map(([, sql]) => sql)
const lastOf = (files: ReadonlyMap<string, string>, dialect: Dialect) =>
  readFolder(files, dialect).migrations.at(-1)?.snapshot
/** As they are compared: in any order, also their members. */
const sorted = (entities: readonly Entity[]) =>
  entities
    .map((each) => JSON.stringify(each, (_, value) => (isObject(value) ? sortedByKey(value) : value)))
    .sort()
/** The candidate names a foreign key otherwise, and does not compare the name if it is not the owner's. */
const withoutNames = (entities: readonly Entity[]) =>
  sorted(entities.map((each) => (each.entityType === 'fks' ? { ...each, name: '' } : each)))
/** Those of the newest snapshot. */
const entitiesIn = (files: ReadonlyMap<string, string>, dialect: Dialect) =>
  sorted(entitiesOf({ tables: {}, ...lastOf(files, dialect) }))

/** An untouched project in the layout of Drizzle Kit 1.0 that has gone through these states. */
function later(dialect: Dialect, ...states: readonly State[]): Map<string, string> {
  const files = new Map(upgradedFiles(readFolder(fresh(states[0] as State, dialect), dialect)))
  states.slice(1).forEach((to, index) => {
    for (const [path, text] of switched(dialect, states.slice(0, index + 1), to, { files }).files)
      files.set(path, text)
  })
  return files
}

describe.each(DIALECTS)('a folder of Drizzle Kit 1.0 for %s', (dialect) => {
  it('is read without a change to its entities', () => {
    const files = candidate(dialect)
    for (const path of pathsIn(files)) {
      const { ddl } = read(files, path)
      if (ddl) expect(sorted(entitiesOf(grouped(ddl)))).toEqual(sorted(ddl))
    }
    const tables = lastOf(files, dialect)?.tables
    const [owned, users] = dialect === 'sqlite' ? ['memos', 'users'] : ['public.notes', 'public.users']
    expect(Object.keys(tables?.[users]?.indexes ?? {})).toEqual([
      'users_email_unique',
      'users_username_unique',
    ])
    expect(Object.keys(tables?.[owned]?.columns ?? {})).toEqual(
      dialect === 'sqlite' ? ['id', 'owner', 'body'] : ['id', 'owner', 'body', 'mood', 'due_on'],
    )
    expect(Object.keys(tables?.[owned]?.fks ?? {})).toEqual([`${owned.split('.').at(-1)}_owner_users_id_fk`])
  })

  it.each(['none', 'basic-a', 'complete-a', 'complete-b'] as const)(
    'has the entities in mode %s that the candidate generates for the same code',
    (state) => {
      const { ddl, blueprint } = generated(state, dialect)
      const snapshot = upgraded(readFolder(blueprint, dialect).migrations[0].snapshot, dialect)
      expect(withoutNames(entitiesOf(snapshot))).toEqual(withoutNames(ddl))
    },
  )

  it('has no entities of kinds that blueprints/ does not use', () => {
    for (const state of STATES) {
      const { tables, views, enums, schemas, sequences } = readFolder(fresh(state, dialect), dialect)
        .migrations[0].snapshot as Record<string, unknown>
      for (const group of [views, enums, schemas, sequences]) expect(group ?? {}).toEqual({})
      for (const table of Object.values(tables as Record<string, Record<string, unknown>>)) {
        for (const group of ['compositePrimaryKeys', 'checkConstraints', 'policies'])
          expect(table[group] ?? {}).toEqual({})
        for (const column of Object.values(table.columns as Record<string, Record<string, unknown>>)) {
          expect(column).not.toHaveProperty('generated')
          expect(column).not.toHaveProperty('typeSchema')
          expect(String(column.default)).not.toContain('::')
          expect(column.type).not.toContain('[')
        }
      }
    }
  })

  const PAIRS = STATES.flatMap((from) => STATES.filter((to) => to !== from).map((to) => [from, to] as const))
  it.each(PAIRS)(
    'from %s to %s and back has the SQL of today, and the snapshot of a new project',
    (from, to) => {
      const files = later(dialect, from, to, from)
      expect(sqlIn(files)).toEqual(sqlIn(project(dialect, from, to, from)))
      expect(entitiesIn(files, dialect)).toEqual(entitiesIn(later(dialect, from), dialect))
    },
  )

  it("a switch only adds files, after the last one, and keeps what is the owner's", () => {
    const files = candidate(dialect)
    const result = switched(dialect, ['basic-a'], 'complete-b', { files })
    const paths = pathsIn(result.files)
    expect(paths.length * 2).toBe(result.files.size)
    expect([...result.files.keys()].filter((path) => path < (pathsIn(files).at(-1) ?? ''))).toEqual([])
    const chain = [...pathsIn(files).slice(-1), ...paths].map((path) =>
      read(new Map([...files, ...result.files]), path),
    )
    for (const [index, { prevIds }] of chain.slice(1).entries()) expect(prevIds).toEqual([chain[index]?.id])
    const added = paths.map((path) => read(result.files, path))
    // What profile A had, and mode complete of B has not.
    const dropped = (each: Entity) => each.name === 'tokens_valid_from'
    if (dialect === 'sqlite') {
      const before = (chain[0]?.ddl ?? []).filter((each) => !dropped(each))
      for (const { ddl = [] } of added) expect(sorted(ddl)).toEqual(expect.arrayContaining(sorted(before)))
    } else {
      const [first = [], ...rest] = added.map(({ deltas }) => deltas)
      const others = first.filter(({ op }) => op !== 'create')
      expect(others).toEqual([{ op: 'drop', key: 'columns\0["public","users","tokens_valid_from"]' }])
      const tables = new Set(first.flatMap(({ row }) => (row ? (row.table ?? row.name) : [])))
      expect([...tables].sort()).toEqual([
        ...['email_changes', 'mail_requests', 'outbox', 'refresh_tokens', 'retired_names'],
        ...['users', 'verification_codes'],
      ])
      expect(rest.flat()).toEqual([])
    }
  })

  /** Its first migration is what the candidate generates for complete B, as after an owner squashed theirs. */
  const squashed = (...states: readonly State[]) => {
    const files = later(dialect, 'complete-b', ...states)
    const { sql, ddl } = generated('complete-b', dialect)
    const [first = ''] = pathsIn(files)
    const changed = withJson<Written>(files, first, (snapshot) => Object.assign(snapshot, { ddl }))
    return changed.set(first.replace('snapshot.json', 'migration.sql'), sql)
  }

  it('that the candidate generated anew needs no migration', () => {
    const base = generated('complete-b', dialect).blueprint
    const { files } = switched(dialect, ['complete-b'], 'complete-b', { files: squashed(), base, next: base })
    expect(files).toEqual(new Map())
  })

  it('that the candidate generated anew has each constraint once after a switch back', () => {
    const files = squashed('basic-b')
    const { files: added } = switched(dialect, ['complete-b', 'basic-b'], 'complete-b', { files })
    expect(sqlIn(added).join('')).toContain('UPDATE users')
    expect(sqlIn(added).join('')).not.toMatch(/users_id_fk|users_verified_email_unique/)
  })

  const replayed = (history: readonly State[], migrated: number, files: ReadonlyMap<string, string>) =>
    replay({
      ...{ dialect, files, history, migrated, isLater: true },
      fresh: (state) => fresh(state, dialect),
      existingUsers: 'unverified',
      keptTables: new Set(),
      now: 1_800_000_000_000,
    })

  it('loses what an earlier version generated, when it follows the other database', () => {
    const files = later(dialect, 'basic-a')
    const schema = dialect === 'sqlite' ? {} : { schema: 'public' }
    const older = withJson<Written>(files, pathsIn(files)[0] ?? '', ({ ddl = [] }) => {
      ddl.push({ entityType: 'indexes', ...schema, table: 'users', name: 'users_old', columns: [] })
    })
    const all = new Map([...older, ...replayed(['basic-a', 'complete-a'], 1, older).files])
    expect(entitiesIn(all, dialect)).toEqual(entitiesIn(later(dialect, 'complete-a'), dialect))
  })

  it('of a switch of the database follows the states', () => {
    const { files } = replayed(['none', 'basic-a'], 0, new Map())
    expect(files).toEqual(later(dialect, 'none', 'basic-a'))
    expect(pathsIn(files)[0]).toBe(`migrations/${dialect}/20260101000000_init/snapshot.json`)
    expect(read(files, pathsIn(files)[0] ?? '').prevIds).toEqual(['00000000-0000-0000-0000-000000000000'])
    expect(() => replayed(['none', 'basic-a'], 0, files)).toThrow(/already exists/)
  })

  const last = pathsIn(candidate(dialect)).at(-1) ?? ''
  const damaged = (change: (snapshot: Record<string, unknown>) => void) =>
    withJson<Record<string, unknown>>(candidate(dialect), last, change)
  it.each([
    ['no snapshot', new Map([...candidate(dialect)].filter(([path]) => path !== last)), `${last} is missing`],
    ['another database', damaged((it) => Object.assign(it, { dialect: 'mysql' })), 'is for mysql'],
    ['neither list', damaged((it) => Object.assign(it, { ddl: undefined, deltas: undefined })), 'is damaged'],
    ['an entity without a kind', damaged((it) => Object.assign(it, { ddl: [{}] })), 'is damaged at ddl.0'],
    ['two branches', damaged((it) => Object.assign(it, { prevIds: ['none'] })), 'migrations of two branches'],
    [
      'an older format',
      damaged((it) => Object.assign(it, { version: '5' })),
      "has version 5 of Drizzle Kit's format, not",
    ],
    [
      'a newer format',
      damaged((it) => Object.assign(it, { version: '99' })),
      'Run `npx create-authsmith@latest`.',
    ],
  ])('%s is refused', (_, files, message) => {
    expect(() => switched(dialect, ['basic-a'], 'complete-b', { files })).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringContaining(message) }),
    )
  })
})

it('tables of the owner are read with the names that deltas gave them', () => {
  const { tables, others } = { tables: {}, others: {}, ...lastOf(candidate('postgres'), 'postgres') }
  expect(Object.keys(tables).sort()).toEqual([
    'public.attempts',
    'public.notes',
    'public.users',
    'store.orders',
  ])
  expect(tables['public.notes']?.fks).toMatchObject({ notes_owner_users_id_fk: { columns: ['owner'] } })
  expect(tables['store.orders']?.fks).toMatchObject({ orders_memo_notes_id_fk: { tableTo: 'notes' } })
  expect(Object.keys(others).map((key) => key.split('\0')[0])).toEqual(['schemas', 'enums', 'views'])
})

it('an earlier collation on PostgreSQL changes in the snapshot too', () => {
  const files = later('postgres', 'basic-a')
  const old = withJson<Written>(files, pathsIn(files)[0] ?? '', ({ ddl = [] }) => {
    for (const each of ddl) if (each.table === 'attempts' && each.name === 'key') each.type = 'text'
  })
  const { files: added } = switched('postgres', ['basic-a'], 'basic-a', { files: old })
  expect(read(added, pathsIn(added)[0] ?? '').deltas).toEqual([
    { op: 'alter', key: 'columns\0["public","attempts","key"]', set: { type: 'text COLLATE "C"' } },
  ])
})

it('what a migration of Drizzle Kit drops is named', () => {
  const before = candidate('sqlite')
  const last = pathsIn(before).at(-1) ?? ''
  const [folder, added] = [last.replace('/snapshot.json', ''), 'migrations/sqlite/20300101000000_own_tables']
  const after = new Map([
    ...before,
    [`${added}/migration.sql`, ''],
    [`${added}/snapshot.json`, before.get(last) ?? ''],
  ])
  const dropped = withJson<Written>(after, `${added}/snapshot.json`, (snapshot) => {
    const ddl = snapshot.ddl?.filter((each) => ![each.table, each.name].includes('memos')) ?? []
    Object.assign(snapshot, { id: 'added', prevIds: [read(before, `${folder}/snapshot.json`).id], ddl })
  })
  expect(droppedNotes(before, dropped, 'sqlite')).toEqual([
    expect.stringContaining(
      `${added}/migration.sql drops table memos, which your schema files no longer define`,
    ),
  ])
  expect(droppedNotes(before, before, 'sqlite')).toEqual([])
})

it('a time that no calendar has is as Drizzle computes it', () => {
  const files = later('sqlite', 'none')
  const odd = [...files].map(([path, text]): [string, string] => [
    path.replace('20260101000000', '20261399000000'),
    text,
  ])
  expect(readFolder(new Map(odd), 'sqlite').migrations[0].when).toBe(Date.UTC(2026, 12, 99))
})
