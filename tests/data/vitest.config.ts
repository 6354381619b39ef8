import { defineProject } from 'vitest/config'

// Tests of rows, on real databases and with the drivers of a generated project.
export default defineProject({
  test: {
    name: 'data',
    include: ['**/*.test.ts'],
    globalSetup: './setup.ts',
    setupFiles: ['../support/await-packages.ts', '../support/processor-time.ts'],
    // Both as in tests/e2e/, so that no worker waits for the last file of the other folder.
    maxWorkers: 4,
    sequence: { groupOrder: 1 },
    // Only a test that hangs reaches this limit: on a busy machine a test of one minute can take many.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
})
