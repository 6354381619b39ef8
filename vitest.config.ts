import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      // No test leaves anything behind for another: one environment for all saves most of the time.
      // The time is for a busy machine: no test needs it on an idle one.
      {
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 120_000,
        },
      },
      // Every switch there is, in memory: too many for the tests that run after each change.
      {
        test: {
          name: 'matrix',
          include: ['tests/matrix/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 120_000,
        },
      },
      'tests/data/vitest.config.ts',
      'tests/e2e/vitest.config.ts',
    ],
  },
})
