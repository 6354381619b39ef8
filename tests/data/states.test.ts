import { describe, expect, test } from 'vitest'
import { STATES, type State } from '../../src/answers/variant.ts'
import { olderTables } from '../support/older-version.ts'
import { freshFiles, type LivingProject } from './living-project.ts'
import { everyRun, serviceOn } from './service.ts'

interface Table {
  name: string
  columns: object
  indexes: object
  /** PostgreSQL has an index of the name for each. */
  uniqueConstraints: object
}

describe.each(['sqlite', 'postgres'] as const)('%s: a switch', (dialect) => {
  const { living, rows, column, register } = serviceOn(dialect)

  describe.each(STATES)('from %s', (from) => {
    const others = STATES.filter((state) => state !== from)
    test.each(everyRun(others, dialect))('to %s and back', (to) =>
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

  test.each(STATES)('of a project of an older version from %s through all states', (from) =>
    living(
      from,
      async (project) => {
        if (from !== 'none') await register(project, 'alice')
        for (const state of [...STATES, from]) {
          await project.to(state)
          await requireSchema(project, state)
        }
        expect(await project.generate()).toContain('No schema changes')
      },
      olderTables(freshFiles(from, dialect), dialect),
    ),
  )

  /** Checks that the database has every table, column and index of a fresh one in this state. */
  async function requireSchema(project: LivingProject, state: State): Promise<void> {
    const { tables } = JSON.parse(
      freshFiles(state, dialect).get(`migrations/${dialect}/meta/0000_snapshot.json`) ?? '',
    )
    for (const table of Object.values(tables) as Table[]) {
      await rows(project, `SELECT ${Object.keys(table.columns).join(', ')} FROM ${table.name}`)
      const indexes = await column(
        project,
        dialect === 'sqlite'
          ? `SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = '${table.name}'`
          : `SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = '${table.name}'`,
      )
      expect(indexes).toEqual(
        expect.arrayContaining(Object.keys({ ...table.indexes, ...table.uniqueConstraints })),
      )
      // The order of another collation can change with the operating system: the index would miss rows.
      if (dialect === 'postgres') expect(await column(project, otherCollations(table.name))).toEqual([])
    }
  }
})

const otherCollations = (table: string): string =>
  `SELECT indexrelid::regclass::text FROM pg_index
   WHERE indrelid = '${table}'::regclass AND NOT (ARRAY[0, '"C"'::regcollation::oid] @> indcollation::oid[])`
