// Bundles src/ into dist/, so that `npm create authsmith` installs one package. Code that `--version` does not need
// goes into separate chunks, which are loaded on demand.
import { build } from 'esbuild'
import fs from 'fs-extra'

fs.emptyDirSync('dist')

await build({
  entryPoints: ['src/cli.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  // CommonJS dependencies call require() for Node's modules, but an ES module does not have it.
  banner: { js: "import{createRequire as $$r}from'node:module';const require=$$r(import.meta.url);" },
  legalComments: 'none',
})
