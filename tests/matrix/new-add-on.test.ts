// A new add-on changes no file of src/. Covers src/answers/definitions.ts and the commands that begin one.
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const NEEDED = ['package.json', 'bin', 'build.js', 'src', 'blueprints', 'CHANGELOG.md']
const TOOLS = ['tests/support', 'tests/attack/mutants/list']

describe('an add-on that a developer begins', () => {
  let root: string
  beforeAll(() => {
    root = fs.mkdtempSync(join(tmpdir(), 'authsmith-new-add-on-'))
    for (const path of [...NEEDED, ...TOOLS]) fs.cpSync(path, join(root, path), { recursive: true })
    fs.symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
    run('tests/support/new-add-on.ts', 'api-keys')
    run('build.js')
  })
  afterAll(() => fs.rmSync(root, { recursive: true }))

  /** Runs a program of the copy. @returns what it printed */
  const run = (...args: string[]) =>
    execFileSync('node', ['--import', 'tsx', ...args], { cwd: root, encoding: 'utf8' })
  const command = (...args: string[]) =>
    spawnSync('node', [join(root, 'bin/create-authsmith.js'), ...args], { cwd: root, encoding: 'utf8' })
  const fails = (...args: string[]) => {
    const { status, stderr } = spawnSync('node', ['--import', 'tsx', ...args], {
      cwd: root,
      encoding: 'utf8',
    })
    return [status, stderr]
  }
  const definition = () => join(root, 'blueprints/add-ons/api-keys/add-on.json')

  it('is in the help, the schema and the projects that ask for it, without a line in src/', () => {
    expect(command('--help').stdout).toContain('  api-keys          what it does, in one line\n')
    expect(command('--print-schema').stdout).toContain('"api-keys"')
    const { status, stdout, stderr } = command(
      'my-api',
      '--yes',
      '--add',
      'api-keys',
      '--no-install',
      '--no-git',
    )
    expect(status, stdout + stderr).toBe(0)
    expect(fs.readFileSync(join(root, 'my-api/README.md'), 'utf8')).toContain('[Api keys](docs/api-keys.md)')
    expect(fs.existsSync(join(root, 'my-api/test/http/api-keys.test.ts'))).toBe(true)
  })

  it('has its files where `npm run layers` says', () => {
    const lines = run('tests/support/layers.ts', 'basic-a-sqlite+api-keys', 'docs/api-keys.md')
    expect(lines).toBe('docs/api-keys.md  add-ons/api-keys/all\n')
  })

  it('cannot be built with a wrong definition, which the error names', () => {
    const text = fs.readFileSync(definition(), 'utf8')
    fs.writeFileSync(definition(), text.replace('"basic"', '"basics"'))
    const { status, stderr } = spawnSync('node', ['--import', 'tsx', 'build.js'], {
      cwd: root,
      encoding: 'utf8',
    })
    fs.writeFileSync(definition(), text)
    expect(status).not.toBe(0)
    expect(stderr).toMatch(/add-ons\/api-keys\/add-on\.json: [\s\S]*modes\[0\]/)
  })

  it.each([
    [['new-add-on', 'api-keys'], 'There is api-keys already.\n'],
    [['new-add-on', 'sqlite'], 'There is sqlite already.\n'],
    [['new-add-on', '../x'], 'The name of an add-on has small letters, and "-" between words.\n'],
    [['layers', 'basic-a-sqlite+admin'], 'basic-a-sqlite cannot have the add-on admin.\n'],
  ])('%s is refused in one line', ([program, ...args], message) => {
    expect(fails(`tests/support/${program}.ts`, ...args)).toEqual([1, message])
  })
})
