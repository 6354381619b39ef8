import { defineProject } from 'vitest/config'

// Slow tests of the packed tarball, outside the repository. Two files run in parallel, because installs dominate.
export default defineProject({
  test: {
    name: 'e2e',
    include: ['**/*.test.ts', '../{attack,failures}/*.test.ts'],
    globalSetup: './setup.ts',
    maxWorkers: 2,
    // After the faster tests, not in parallel with them.
    sequence: { groupOrder: 2 },
    // Only a test that hangs reaches this limit: on a busy machine a test of one minute can take many.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
})
