import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Vitest begins with the longest files. The slowest have three lines; last, one would keep one worker busy and leave the other idle. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      /\/e2e\/(none|basic|complete|living|edges|pages)[^/]*$/.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    projects: [
      // Tests leave no state behind, so they share one environment, which saves most of the time.
      // The timeouts are only for tests that hang: on a busy machine, a test of one second can take minutes.
      {
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts', 'tests/attack/*/*.test.ts', 'tests/bench/*.test.ts'],
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      // Every switch between two variants, in memory. Too slow to run after each change.
      {
        test: {
          name: 'matrix',
          include: ['tests/matrix/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      'tests/data/vitest.config.ts',
      'tests/e2e/vitest.config.ts',
    ],
  },
})
