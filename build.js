// Bundles src/ into dist/, so that `npm create authsmith` installs one package. Code that `--version` does not need
// goes into separate chunks, which are loaded on demand. An argument is another folder than dist/.
import { build } from 'esbuild'
import fs from 'fs-extra'
import * as definitions from './src/answers/definitions.ts'

const [outdir = 'dist'] = process.argv.slice(2)
fs.emptyDirSync(outdir)

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

/** What src/answers/definitions.ts reads from blueprints/ is in the bundle. */
const embeddedDefinitions = {
  name: 'embedded-definitions',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onLoad({ filter: /answers[\\/]definitions\.ts$/ }, () => ({
      contents: Object.entries(definitions)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
        .join('\n'),
    }))
  },
}

await build({
  entryPoints: ['src/cli.ts'],
  outdir,
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
  plugins: [lazyChildProcess, embeddedDefinitions],
})
