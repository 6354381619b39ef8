// Stores every variant as this version creates it, so that later versions are tested against real old projects.
// `npm run freeze` writes tests/frozen/<version>/<variant>.json.br: a JSON map of path to text, compressed with Brotli.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import packageJson from '../../package.json' with { type: 'json' }
import { allVariants, nameOf } from '../../src/answers/variant.ts'

const folder = join('tests/frozen', packageJson.version)
const cli = resolve('bin/create-authsmith.js')
const parent = mkdtempSync(join(tmpdir(), 'frozen-'))

try {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const variant of allVariants()) {
    const project = join(parent, nameOf(variant), 'my-api')
    const answers = ['--mode', variant.mode, '--database', variant.database, '--package-manager', 'npm']
    if (variant.profile) answers.push('--profile', variant.profile)
    mkdirSync(join(parent, nameOf(variant)))
    execFileSync(process.execPath, [cli, project, ...answers, '--no-install', '--no-git', '--yes'])
    const paths = readdirSync(project, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1))
      .sort()
    const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(project, path), 'utf8')]))
    // The largest window, because .authsmith/base.json repeats every file.
    const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS }
    const file = join(folder, `${nameOf(variant)}.json.br`)
    writeFileSync(file, brotliCompressSync(JSON.stringify(files), { params }))
    console.log(`${nameOf(variant)}: ${paths.length} files`)
  }
} finally {
  rmSync(parent, { recursive: true, force: true })
}
