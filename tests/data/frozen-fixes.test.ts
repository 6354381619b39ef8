// The fixes of advisories in real old projects with edits: the result compiles and passes the linter.
import nodeFs, { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { run as runProgram } from '../../src/system/run.ts'
import { readAdvisories } from '../../src/update/advisories.ts'
import { REAL_BLUEPRINTS } from '../support/blueprints.ts'
import { succeed } from '../support/command.ts'
import { runCommand } from '../support/fixtures.ts'
import { frozenProject } from '../support/frozen-projects.js'

const PATHS = readAdvisories(nodeFs, REAL_BLUEPRINTS).flatMap(({ files }) => files.map(({ path }) => path))

/** What an owner may do to each file that gets a fix. */
const edited = (path: string, text: string) => `${text}\n// Ours.\nexport const ours = '${path}'\n`

test.each(['complete-b-sqlite', 'complete-a-postgres', 'none-sqlite'])(
  'audit --fix in an edited project of 0.1.0: %s',
  async (variant) => {
    const project = mkdtempSync(join(inject('drafts'), `${variant}-`))
    const files = frozenProject('0.1.0', variant)
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project, path)), { recursive: true })
      writeFileSync(join(project, path), PATHS.includes(path) ? edited(path, text) : text)
    }
    // Another layout of every file, as after a change of the formatter's settings.
    const biome = JSON.parse(files['biome.json'] ?? '')
    biome.formatter = { ...biome.formatter, indentWidth: 4, lineWidth: 80 }
    biome.javascript.formatter.semicolons = 'always'
    writeFileSync(join(project, 'biome.json'), JSON.stringify(biome))
    symlinkSync(join(inject('modules'), 'node_modules'), join(project, 'node_modules'))
    const run = (...argv: string[]) =>
      runCommand(argv, {
        fs: nodeFs,
        run: runProgram,
        cwd: project,
        temporary: tmpdir(),
        blueprints: REAL_BLUEPRINTS,
      })
    const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout)

    const before = (await json('audit')).advisories
    await succeed('node_modules/.bin/biome', ['format', '--write', '.'], { cwd: project })
    const { advisories } = await json('audit')
    expect(advisories.length).toBeGreaterThanOrEqual(4)
    expect(advisories).toEqual(before)
    const { exitCode, fixed, conflicts } = await json('audit', '--fix')
    expect({ exitCode, conflicts }).toEqual({ exitCode: 0, conflicts: [] })
    expect(fixed).toEqual(advisories.map(({ id, file }: { id: string; file: string }) => ({ id, file })))
    for (const { file } of fixed) {
      const text = readFileSync(join(project, file), 'utf8')
      expect(text).toContain(`// Ours.\nexport const ours = '${file}';\n`)
    }
    const paths = fixed.map(({ file }: { file: string }) => file)
    await succeed('node_modules/.bin/biome', ['lint', '--error-on-warnings', ...paths], { cwd: project })
    await succeed('node_modules/.bin/tsc', ['--noEmit', '-p', '.'], { cwd: project })
    rmSync(project, { recursive: true })
  },
)
