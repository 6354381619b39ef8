import { defineProject } from 'vitest/config'
import { exampleAnswers } from '../support/examples.ts'
import { EVERY_RUN, isWhole } from './variants/every-run.ts'

const left = [...exampleAnswers().keys()].filter((name) => !isWhole && !EVERY_RUN.includes(name))

// Slow tests of the packed tarball, outside the repository.
export default defineProject({
  test: {
    name: 'e2e',
    include: ['**/*.test.ts', '../{attack,failures}/*.test.ts'],
    exclude: left.map((name) => `variants/${name}.test.ts`),
    globalSetup: './setup.ts',
    setupFiles: ['../support/await-packages.ts', '../support/processor-time.ts'],
    // A file waits most of its time, for emails, disks and programs that it stopped. On two cores, five take as long as four.
    maxWorkers: 4,
    // The tests of two variants, which take the longest, run side by side.
    maxConcurrency: 2,
    // After the faster tests, together with those of rows.
    sequence: { groupOrder: 1 },
    // Only a test that hangs reaches this limit: on a busy machine a test of one minute can take many.
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
