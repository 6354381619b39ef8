import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // autoload imports plugins and routes at run time: vitest has to transform it, or Node would be handed .ts files.
    server: { deps: { inline: ['@fastify/autoload'] } },
    // No module keeps state between tests, so the files of a worker share them: three times as fast.
    isolate: false,
    // For what hangs. A busy machine may take long: no test fails by its speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
