// Covers src/migrations/rows/locks.ts.
import { describe, expect, it } from 'vitest'
import { STATES, type State } from '../../../../src/answers/variant.ts'
import { type Statement, statementsOf } from '../../../../src/migrations/sql/statements.ts'
import type { Files } from '../../../../src/system/file-system.ts'
import { olderTables } from '../../../support/older-version.ts'
import { fresh, journalOf, project, switched, withMigration } from '../fixtures.ts'

/** Every update and switch on PostgreSQL, of a new project and of one of an older version. */
const CASES = STATES.flatMap((from) =>
  STATES.flatMap((to) => [
    { from, to, version: 'this version', files: fresh(from, 'postgres') },
    { from, to, version: 'an older version', files: olderTables(fresh(from, 'postgres'), 'postgres') },
  ]),
)

/** The statements of each migration that a switch adds, in the order of the journal. */
function added(from: State, to: State, files: Files): { tag: string; statements: Statement[] }[] {
  const result = switched('postgres', [from], to, { files, base: files }).files
  if (result.size === 0) return []
  return journalOf(result, 'postgres')
    .entries.map(({ tag }) => ({ tag, sql: result.get(`migrations/postgres/${tag}.sql`) }))
    .flatMap(({ tag, sql }) => (sql === undefined ? [] : { tag, statements: statementsOf(sql, 'postgres') }))
}

/** The condition by which src/db/concurrent.ts of the service runs a statement for some rows at a time. */
const ALL_IDS = / id BETWEEN 0 AND 9223372036854775807\b/

/** What changes the definition of a table in an instant, whatever its size: no rows are read or written. */
const INSTANT = [
  /^ALTER TABLE \S+ ADD (COLUMN )?"?\w+"? [\w() ]+?( COLLATE "C")?( DEFAULT ('\w*'|\d+|false|true))?( NOT NULL)?;$/,
  /^ALTER TABLE \S+ ADD CONSTRAINT "\w+" (UNIQUE|PRIMARY KEY) USING INDEX "\w+";$/,
]

describe('the migrations of a switch on PostgreSQL', () => {
  it.each(CASES)(
    'from $from ($version) to $to hold no lock while they read a table',
    ({ from, to, files }) => {
      const faults = added(from, to, files).flatMap(({ tag, statements }) => {
        const created = new Set(statements.map((each) => each.kind === 'create-table' && each.table))
        return statements
          .filter((each) => each.kind !== 'other' && !('table' in each && created.has(each.table)))
          .filter(({ text }) => !/^CREATE( UNIQUE)? INDEX CONCURRENTLY /.test(text))
          .filter(({ text }) => !INSTANT.some((form) => form.test(text)))
          .map(({ text }) => `${tag}: ${text}`)
      })
      expect(faults).toEqual([])
    },
  )

  it.each(CASES)(
    'from $from ($version) to $to have nothing else beside CONCURRENTLY or a statement for all ids',
    ({ from, to, files }) => {
      for (const { statements } of added(from, to, files))
        for (const form of [/ CONCURRENTLY /, ALL_IDS])
          expect([0, statements.length]).toContain(statements.filter(({ text }) => form.test(text)).length)
    },
  )

  it('change all users for some ids at a time', () => {
    const all = project('postgres', 'complete-a', 'basic-b', 'complete-b')
    const rows = journalOf(all, 'postgres').entries.flatMap(({ tag }) => {
      const sql = all.get(`migrations/postgres/${tag}.sql`) ?? ''
      const updates = statementsOf(sql, 'postgres').filter(({ text }) => /^UPDATE users /.test(text))
      return tag.endsWith('-rows') ? [[tag, updates.filter(({ text }) => ALL_IDS.test(text)).length]] : []
    })
    expect(rows).toEqual([
      ['0002_basic-b-rows', 4],
      ['0003_basic-b-rows', 0],
      ['0005_complete-b-rows', 0],
      ['0006_complete-b-rows', 1],
    ])
    expect(all.get('migrations/postgres/0002_basic-b-rows.sql')).toContain(
      '\nUPDATE users SET unclaimed_since = NULL WHERE id BETWEEN 0 AND 9223372036854775807 AND (unclaimed_since IS NOT NULL);\n',
    )
    expect(all.get('migrations/postgres/0006_complete-b-rows.sql')).toMatch(
      / WHERE id BETWEEN 0 AND 9223372036854775807 AND \(basic_since IS NOT NULL\);\n$/,
    )
  })

  it('change all users for some ids at a time if --existing-users verifies them', () => {
    const options = { existingUsers: 'verified' as const }
    const { files } = switched('postgres', ['basic-b'], 'complete-b', options)
    const [first, second] = [...files].filter(([path]) => path.endsWith('-rows.sql')).map(([, sql]) => sql)
    expect(first).toContain('SET is_verified = true WHERE id BETWEEN 0 AND ')
    expect(second).not.toMatch(ALL_IDS)
  })

  it('from an older version build indexes between the tables and what needs the indexes', () => {
    const parts = added('complete-b', 'complete-b', olderTables(fresh('complete-b', 'postgres'), 'postgres'))
    expect(parts.map(({ tag }) => tag)).toEqual([
      ...['0001_complete-b', '0002_complete-b-indexes', '0003_complete-b-constraints'],
    ])
    const [tables, indexes, constraints] = parts.map(({ statements }) => statements.map(({ text }) => text))
    expect(tables?.map((text) => text.split(/ \(| ON /)[0])).toEqual([
      'CREATE TABLE "mail_requests"',
      'CREATE UNIQUE INDEX "mail_requests_kind_email"',
    ])
    expect(indexes?.map((text) => text.split(' ON ')[0])).toEqual([
      'CREATE UNIQUE INDEX CONCURRENTLY "outbox_message_id_unique"',
      'CREATE INDEX CONCURRENTLY "attempts_account"',
      'CREATE INDEX CONCURRENTLY "outbox_user"',
      'CREATE INDEX CONCURRENTLY "refresh_tokens_user_revoked"',
    ])
    expect(constraints).toEqual([
      'ALTER TABLE "outbox" ADD CONSTRAINT "outbox_message_id_unique" UNIQUE USING INDEX "outbox_message_id_unique";',
    ])
  })

  it('restore a constraint that the owner dropped, with its index', () => {
    const old = olderTables(fresh('complete-b', 'postgres'), 'postgres')
    const first = switched('postgres', ['complete-b'], 'complete-b', { files: old, base: old }).files
    const files = new Map([...old, ...first])
    const drop = 'ALTER TABLE outbox DROP CONSTRAINT outbox_message_id_unique;'
    const without = withMigration(files, 'postgres', drop, ({ tables }) => {
      Object.assign(tables['public.outbox'] ?? {}, { uniqueConstraints: {} })
    })
    const base = { base: old }
    const again = switched('postgres', ['complete-b'], 'complete-b', { files: without, ...base }).files
    const sql = [...again].filter(([path]) => path.endsWith('.sql')).map(([, text]) => text)
    expect(sql.join('')).toMatch(/UNIQUE INDEX CONCURRENTLY[\s\S]+UNIQUE USING INDEX/)
  })
})
