import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // autoload imports plugins and routes at run time. Inlined, it loads the .ts files through Vitest, not Node.js.
    server: { deps: { inline: ['@fastify/autoload'] } },
    // No module keeps state between tests, so the test files of a worker share modules. This is three times as fast.
    isolate: false,
    // A worker waits a third of its time, for hashes and programs. By default, one core gets no worker.
    maxWorkers: availableParallelism() + 1,
    // Without a server, each worker runs PostgreSQL in memory, which takes half a gigabyte.
    ...(process.env.TEST_DATABASE_URL
      ? { globalSetup: 'test/support/remove-schemas.ts' }
      : { maxWorkers: 2 }),
    // Only a hanging test reaches this limit. On a busy machine, a test of one second can take minutes.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
