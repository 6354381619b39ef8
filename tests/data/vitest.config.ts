import { defineProject } from 'vitest/config'

// What happens to rows: on real databases, by the drivers that a generated project has.
export default defineProject({
  test: {
    name: 'data',
    include: ['**/*.test.ts'],
    globalSetup: './setup.ts',
    maxWorkers: 2,
    // After the unit tests, and before those that install projects.
    sequence: { groupOrder: 1 },
    testTimeout: 600_000,
    hookTimeout: 900_000,
  },
})
