import { describe, expect, test } from 'vitest'
import { STATES } from '../../src/answers/variant.ts'
import { serviceOn } from './service.ts'

describe.each(['sqlite', 'postgres'] as const)('%s: the names of deleted users', (dialect) => {
  const { living, rows, run } = serviceOn(dialect)

  test.each(STATES.filter((state) => state !== 'none'))('stay taken in all switches from %s', (from) =>
    living(from, async (project) => {
      await run(
        project,
        "INSERT INTO retired_names (hash, key) VALUES ('key', 'random')",
        "INSERT INTO retired_names (hash) VALUES ('hash of alice')",
      )
      for (const state of [...STATES, from]) {
        if (state !== project.state) await project.to(state)
        expect(await rows(project, 'SELECT * FROM retired_names ORDER BY hash'), state).toEqual([
          { hash: 'hash of alice', key: null },
          { hash: 'key', key: 'random' },
        ])
      }
      expect(await project.generate()).toContain('No schema changes')
    }),
  )
})
