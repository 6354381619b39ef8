import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'

const examples = join(import.meta.dirname, '../../../examples')
const dockerfileOf = (variant: string) => readFileSync(join(examples, variant, 'Dockerfile'), 'utf8')
const variantsOn = (database: string) =>
  [...exampleAnswers()].filter(([, answers]) => answers.database === database).map(([variant]) => variant)

/** One example for each Dockerfile: a command takes its time. */
const different = [
  ...new Map([...exampleAnswers()].map((example) => [dockerfileOf(example[0]), example])).values(),
]

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

it.each(different)('the image of %s keeps only what the service reads of packages', (variant) => {
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
})

// Docker Swarm restarts an unhealthy container, which does not bring the database back.
it.each([...exampleAnswers().keys()])(
  'the health check of %s asks whether the process answers',
  (variant) => {
    const [, check = ''] = /^HEALTHCHECK [^\n]*\n +(CMD .*)$/m.exec(dockerfileOf(variant)) ?? []
    expect(check.match(/\/health\/\w+/g)).toEqual(['/health/live'])
  },
)

// COPY keeps the modes of the checkout and makes root the owner; the service runs as node.
it.each(different)('the image of %s is readable after a checkout with umask 077', (_, answers) => {
  const files = renderOnce(planOf(answers))
  const folder = mkdtempSync(join(tmpdir(), 'dockerfile-'))
  const [context, build, image] = ['context', 'build', 'image'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const [path, text] of [...files, ['templates/own/page.html', ''], ['bin/own.sh', '']] as const) {
    mkdirSync(dirname(join(context, path)), { recursive: true, mode: 0o700 })
    writeFileSync(join(context, path), text, { mode: 0o600 })
  }
  chmodSync(join(context, 'bin/own.sh'), 0o700)
  symlinkSync('nowhere', join(context, 'templates/dangling'))

  for (const line of (files.get('Dockerfile') ?? '').split('\n')) {
    if (line === 'COPY . .') cpSync(context, build, { recursive: true, verbatimSymlinks: true })
    const [, script] = /^RUN ((?:mkdir|chmod|find \.) .*)$/.exec(line) ?? []
    if (script) expect(spawnSync('sh', ['-c', `umask 022; ${script}`], { cwd: build }).status, line).toBe(0)
    const [, from, path] = /^COPY (--from=build \/app\/)?(\w[\w.]*) \.\/\w*$/.exec(line) ?? []
    if (!path || /^(?:dist|node_modules)$/.test(path)) continue
    cpSync(join(from ? build : context, path), join(image, path), { recursive: true })
  }
  const unreadable = (root: string) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => {
      const stats = statSync(join(root, path), { throwIfNoEntry: false })
      const needed = stats?.isDirectory() || path === 'bin/own.sh' ? 0o055 : 0o044
      return stats && (stats.mode & 0o077) !== needed
    })
  const [inBuild, inImage] = [unreadable(build), unreadable(image)]
  const copied = readdirSync(image)
  rmSync(folder, { recursive: true })
  expect(copied).toEqual(expect.arrayContaining(['migrations', 'package.json']))
  expect(inImage).toEqual([])
  // What the owner copies into the image later.
  expect(inBuild).toEqual([])
})
