// Bundles src/ into dist/ so that `npm create authsmith` installs one package. Parts that `--version` does not
// need become chunks of their own, loaded on demand.
import { rmSync } from 'node:fs'
import { build } from 'esbuild'

rmSync('dist', { recursive: true, force: true })

/** @type {import('esbuild').BuildOptions} */
const options = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  // CommonJS dependencies call require() for Node's own modules; an ES module has none.
  banner: { js: "import{createRequire as $$r}from'node:module';const require=$$r(import.meta.url);" },
  legalComments: 'none',
}

await build({
  ...options,
  entryPoints: ['src/cli.ts'],
  outdir: 'dist',
  splitting: true,
  chunkNames: '[name]-[hash]',
})
await build({ ...options, entryPoints: ['src/write-examples.ts'], outfile: 'dist/examples.js' })
