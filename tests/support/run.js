// Runs a TypeScript program, which Node 20 cannot do itself: `node tests/support/run.js <file> <arguments>`.
import { spawnSync } from 'node:child_process'
import { build } from 'esbuild'

const [program = '', ...args] = process.argv.slice(2)
const { outputFiles } = await build({
  entryPoints: [program],
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  write: false,
})
const { status } = spawnSync(process.execPath, ['--input-type=module', '-', ...args], {
  input: outputFiles[0]?.text,
  stdio: ['pipe', 'inherit', 'inherit'],
})
process.exitCode = status ?? 1
