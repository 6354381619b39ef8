import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exampleAnswers } from '../../support/examples.ts'

const examples = join(import.meta.dirname, '../../../examples')
const dockerfileOf = (variant: string) => readFileSync(join(examples, variant, 'Dockerfile'), 'utf8')
const variantsOn = (database: string) =>
  [...exampleAnswers()].filter(([, answers]) => answers.database === database).map(([variant]) => variant)

/** Docker cannot run in the tests, so they run the lines of the Dockerfile that check an installation. */
function checkInstallation(variant: string, files: Record<string, string>) {
  const [, script = ''] = /^RUN (if grep [\s\S]*?; fi)$/m.exec(dockerfileOf(variant)) ?? []
  const cwd = mkdtempSync(join(tmpdir(), 'dockerfile-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  expect(script).not.toBe('')
  const { status, stderr } = spawnSync('sh', ['-c', script], { cwd, encoding: 'utf8' })
  rmSync(cwd, { recursive: true })
  return { status, stderr }
}

describe.each(variantsOn('sqlite'))('the Dockerfile of %s', (variant) => {
  const built = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'

  it('stops if better-sqlite3 was compiled with headers that let it abort', () => {
    const aborting = '\0node::RemoveEnvironmentCleanupHook\0'
    const { status, stderr } = checkInstallation(variant, { [built]: aborting })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^better-sqlite3 12 was compiled\. [^\n]+\n$/)
    expect(checkInstallation(variant, { [built]: '\0sqlite3_open_v2\0' })).toEqual({ status: 0, stderr: '' })
    // Version 13 compiles nothing.
    expect(checkInstallation(variant, {})).toEqual({ status: 0, stderr: '' })
  })
})

it.each(variantsOn('postgres'))('the Dockerfile of %s does not mention better-sqlite3', (variant) => {
  expect(dockerfileOf(variant)).not.toContain('better-sqlite3')
})

it.each([...exampleAnswers().keys()])(
  'the image of %s keeps only what the service reads of packages',
  (variant) => {
    const [, script = ''] = /^RUN (find node_modules [\s\S]*? -delete)$/m.exec(dockerfileOf(variant)) ?? []
    const kept = ['a/LICENSE.md', 'a/index.js', 'a/index.cjs', 'a/package.json', 'b/prebuilds/linux-x64.node']
    const deleted = ['a/index.d.ts', 'a/index.d.cts', 'a/src/index.ts', 'a/index.js.map', 'b/deps/b.c']
    const foreign = ['darwin-arm64', 'linuxmusl-x64', 'win32-x64'].map((name) => `b/prebuilds/${name}.node`)
    const cwd = mkdtempSync(join(tmpdir(), 'dockerfile-'))
    for (const path of [...kept, ...deleted, ...foreign]) {
      mkdirSync(dirname(join(cwd, 'node_modules', path)), { recursive: true })
      writeFileSync(join(cwd, 'node_modules', path), '')
    }
    const { status } = spawnSync('sh', ['-c', script || 'false'], { cwd })
    const files = readdirSync(join(cwd, 'node_modules'), { recursive: true, withFileTypes: true })
    rmSync(cwd, { recursive: true })
    expect(status).toBe(0)
    const left = files.filter((file) => file.isFile()).map((file) => file.name)
    expect(left.sort()).toEqual(kept.map((path) => basename(path)).sort())
  },
)

// Docker Swarm restarts an unhealthy container, which does not bring the database back.
it.each([...exampleAnswers().keys()])(
  'the health check of %s asks whether the process answers',
  (variant) => {
    const [, check = ''] = /^HEALTHCHECK [^\n]*\n +(CMD .*)$/m.exec(dockerfileOf(variant)) ?? []
    expect(check.match(/\/health\/\w+/g)).toEqual(['/health/live'])
  },
)
