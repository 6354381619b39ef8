import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const SLOWEST =
  /\/(?:(generated|failures)|(variants\/complete)|(pages)|(living|edges)|(variants|attack)).*\.test\.ts$/

/** Plays the model of `npm run attack -- --part accounts` against services with faults, which it has to notice. */
const MODEL = 'tests/attack/accounts/*.test.ts'

/** Vitest begins with the longest files, but the slowest are short. Last, one would keep one worker busy and leave the others idle. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const [, ...groups] = SLOWEST.exec(moduleId) ?? []
      const found = groups.findIndex((name) => name !== undefined)
      return found === -1 ? groups.length : found
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    reporters: ['default', './tests/support/slowest.ts'],
    projects: [
      // Tests leave no state behind, so they share one environment, which saves most of the time.
      // The timeouts are only for tests that hang: on a busy machine, a test of one second can take minutes.
      {
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts', 'tests/attack/*/*.test.ts', 'tests/bench/*.test.ts'],
          exclude: [MODEL],
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      // Every switch between two variants, and the model of accounts, in memory. Too slow to run after each change.
      {
        test: {
          name: 'matrix',
          include: ['tests/matrix/**/*.test.ts', MODEL],
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
