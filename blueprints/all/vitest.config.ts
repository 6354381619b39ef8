import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // autoload imports plugins and routes at run time: vitest has to transform it, or Node would be handed .ts files.
    server: { deps: { inline: ['@fastify/autoload'] } },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
