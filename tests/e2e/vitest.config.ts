import { defineProject } from 'vitest/config'

// Slow tests, from the packed tarball and outside of the repository. Two files at a time: their installs dominate.
export default defineProject({
  test: {
    name: 'e2e',
    include: ['**/*.test.ts'],
    globalSetup: './setup.ts',
    maxWorkers: 2,
    // After the faster tests, not beside them.
    sequence: { groupOrder: 2 },
    testTimeout: 600_000,
    hookTimeout: 900_000,
  },
})
