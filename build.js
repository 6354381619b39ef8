// Bundles src/ into dist/, so that `npm create authsmith` installs one package. Code that `--version` does not need
// goes into separate chunks, which are loaded on demand.
import { build } from 'esbuild'
import fs from 'fs-extra'

fs.emptyDirSync('dist')

/** Commander uses child_process only for commands in files of their own, which this one does not have. */
const lazyChildProcess = {
  name: 'lazy-child-process',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onLoad({ filter: /commander\/lib\/command\.js$/ }, ({ path }) => {
      const [before, after] = fs.readFileSync(path, 'utf8').split("= require('node:child_process');")
      if (after === undefined) throw new Error(`${path} loads child_process in another way`)
      return {
        contents: `${before}= { spawn: (...all) => require('node:child_process').spawn(...all) };${after}`,
      }
    })
  },
}

await build({
  entryPoints: ['src/cli.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  platform: 'node',
  format: 'esm',
  // The other form of jsonc-parser requires its files by a name that esbuild does not follow.
  mainFields: ['module', 'main'],
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  // CommonJS dependencies call require() for Node's modules, but an ES module does not have it.
  banner: { js: "import{createRequire as $$r}from'node:module';const require=$$r(import.meta.url);" },
  legalComments: 'none',
  plugins: [lazyChildProcess],
})
