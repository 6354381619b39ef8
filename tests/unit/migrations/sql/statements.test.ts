// Covers src/migrations/sql/cursor.ts, src/migrations/sql/tokens.ts.
import { describe, expect, it } from 'vitest'
import { type Statement, statementsOf } from '../../../../src/migrations/sql/statements.ts'

const read = (sql: string, dialect: 'sqlite' | 'postgres' = 'postgres') =>
  statementsOf(sql, dialect).map(({ text: _, ...statement }: Statement) =>
    'columns' in statement
      ? {
          ...statement,
          columns: [...statement.columns.keys()],
          constraints: [...statement.constraints.values()],
        }
      : statement,
  )

describe('the statements of a migration', () => {
  it('are parsed, with the definitions of columns as written', () => {
    const sql = "CREATE TABLE `a` (\n\t`id` integer PRIMARY KEY NOT NULL,\n\t`b` text DEFAULT 'x, (y)'\n);"
    const [statement] = statementsOf(sql, 'sqlite')
    expect(statement).toEqual({
      ...{ kind: 'create-table', text: sql, table: 'a' },
      columns: new Map([
        ['id', '`id` integer PRIMARY KEY NOT NULL'],
        ['b', "`b` text DEFAULT 'x, (y)'"],
      ]),
      constraints: new Map(),
    })
  })

  it.each([
    [
      'CREATE TABLE IF NOT EXISTS "public"."a" (x int, CONSTRAINT c UNIQUE (x), PRIMARY KEY (x), foreign key (x) references b (x))',
      { kind: 'create-table', table: 'a', columns: ['x'], constraints: ['CONSTRAINT c UNIQUE (x)'] },
    ],
    [
      'create unlogged table A as select 1',
      { kind: 'create-table', table: 'a', columns: [], constraints: [] },
    ],
    [
      'CREATE TABLE other.a (x int)',
      { kind: 'create-table', table: 'other.a', columns: ['x'], constraints: [] },
    ],
    [
      'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON ONLY a (x)',
      { kind: 'create-index', index: 'i', table: 'a' },
    ],
    ['CREATE INDEX ON a (x)', { kind: 'other' }],
    ['CREATE TEMP TABLE a (x int)', { kind: 'other' }],
    ['CREATE VIEW v AS SELECT 1', { kind: 'other' }],
    ['DROP TABLE IF EXISTS a, "B" CASCADE', { kind: 'drop-tables', tables: ['a', 'B'] }],
    ['DROP INDEX i', { kind: 'drop-indexes', indexes: ['i'] }],
    ['ALTER INDEX IF EXISTS "public"."i" RENAME TO j', { kind: 'rename-index', index: 'i', to: 'j' }],
    ['ALTER INDEX i SET (fillfactor = 50)', { kind: 'other' }],
    ['DROP VIEW a', { kind: 'other' }],
    [
      'ALTER TABLE IF EXISTS ONLY a ADD COLUMN IF NOT EXISTS x numeric(1, 2), DROP b, ADD CONSTRAINT c CHECK (x > 1), ADD UNIQUE (x), ALTER COLUMN d TYPE text, DROP CONSTRAINT e',
      {
        ...{ kind: 'alter-table', table: 'a' },
        changes: [
          { kind: 'add-column', name: 'x' },
          { kind: 'drop-column', name: 'b' },
          { kind: 'add-constraint', name: 'c' },
          { kind: 'drop-constraint', name: 'e' },
        ],
      },
    ],
    [
      'ALTER TABLE a RENAME COLUMN x TO y',
      { kind: 'alter-table', table: 'a', changes: [{ kind: 'rename-column', name: 'x', to: 'y' }] },
    ],
    [
      'ALTER TABLE a RENAME x TO y',
      { kind: 'alter-table', table: 'a', changes: [{ kind: 'rename-column', name: 'x', to: 'y' }] },
    ],
    [
      'ALTER TABLE a RENAME TO b',
      { kind: 'alter-table', table: 'a', changes: [{ kind: 'rename-table', to: 'b' }] },
    ],
  ])('are recognized: %s', (sql, expected) => {
    expect(read(sql)).toEqual([expected])
  })

  it.each([
    ['a string', "INSERT INTO a VALUES ('; DROP TABLE a; --', '''; DROP TABLE a')"],
    ['a line comment', "-- it's; DROP TABLE a\nSELECT 1"],
    ['a block comment', '/* ; DROP TABLE a; */ SELECT 1'],
    ['a nested comment', '/* /* */ ; DROP TABLE a; */ SELECT 1'],
    ['a name', 'SELECT "; DROP TABLE a; "'],
    ['a function', 'CREATE FUNCTION f() RETURNS int AS $$ BEGIN; DROP TABLE a; END $$ LANGUAGE plpgsql'],
    ['a tagged function', 'DO $x$ BEGIN; $$; DROP TABLE a; $$; END $x$'],
    ['an escaped string', "SELECT E'\\'; DROP TABLE a; '"],
    ['an open string', "SELECT '; DROP TABLE a"],
    ['an open comment', 'SELECT 1 /* ; DROP TABLE a'],
    ['an open function', 'DO $$ ; DROP TABLE a'],
  ])('are not recognized inside %s', (_, sql) => {
    expect(read(sql)).toEqual([{ kind: 'other' }])
  })

  it('have more quotes on SQLite, ignore case and do not nest comments', () => {
    expect(read('DROP TABLE [A]; DROP TABLE `b``c`; DROP TABLE "D"', 'sqlite')).toEqual([
      { kind: 'drop-tables', tables: ['a'] },
      { kind: 'drop-tables', tables: ['b`c'] },
      { kind: 'drop-tables', tables: ['d'] },
    ])
    expect(read('/* /* */ DROP TABLE main.a', 'sqlite')).toEqual([{ kind: 'drop-tables', tables: ['a'] }])
    expect(read('DROP TABLE "A", A')).toEqual([{ kind: 'drop-tables', tables: ['A', 'a'] }])
  })

  it.each([
    '',
    ';;',
    '(',
    ')',
    "'",
    '"',
    '$$',
    '--',
    '/*',
    'CREATE',
    'CREATE TABLE',
    'CREATE TABLE a (',
    'ALTER TABLE a ADD',
    'DROP TABLE',
    'CREATE INDEX i ON',
    '\u0000\ud800',
  ])('invalid SQL does not throw: %j', (sql) => {
    for (const dialect of ['sqlite', 'postgres'] as const)
      expect(() => statementsOf(sql, dialect)).not.toThrow()
  })

  it('are parsed in a large migration', () => {
    const sql = `INSERT INTO a VALUES ('${"x''".repeat(300_000)}');`.repeat(3) + '('.repeat(100_000)
    expect(statementsOf(sql, 'postgres')).toHaveLength(4)
  })
})
