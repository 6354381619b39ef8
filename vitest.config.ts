import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      // No test leaves anything behind for another: one environment for all saves most of the time.
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts'], pool: 'threads', isolate: false } },
      'tests/data/vitest.config.ts',
      'tests/e2e/vitest.config.ts',
    ],
  },
})
