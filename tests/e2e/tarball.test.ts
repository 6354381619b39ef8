import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { succeed } from '../support/command.ts'
import { cli } from '../support/create-project.ts'
import { filesBelow } from '../support/folder.ts'

const repository = join(import.meta.dirname, '../..')
const installed = join(inject('installed'), 'node_modules')
const pathsBelow = (folder: string) => [...filesBelow(folder).keys()]

test('the tarball installs one package without runtime dependencies', async () => {
  expect(readdirSync(installed).filter((entry) => !entry.startsWith('.'))).toEqual(['create-authsmith'])
  expect(readdirSync(join(installed, 'create-authsmith'))).not.toContain('node_modules')
  const { stdout } = await succeed('npm', ['ls', '--all', '--json'], { cwd: inject('installed') })
  const { dependencies } = JSON.parse(stdout)
  expect(Object.keys(dependencies)).toEqual(['create-authsmith'])
  expect(dependencies['create-authsmith'].dependencies).toBeUndefined()
  const manifest = JSON.parse(readFileSync(join(installed, 'create-authsmith/package.json'), 'utf8'))
  for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies'])
    expect(manifest).not.toHaveProperty(kind)
})

test('the tarball contains every file of the blueprints, although npm drops or applies some names', () => {
  const packed = pathsBelow(join(installed, 'create-authsmith/blueprints'))
  expect(packed.sort()).toEqual(pathsBelow(join(repository, 'blueprints')).sort())
})

test('the tarball contains the bundle, and nothing that only development needs', () => {
  const packed = pathsBelow(join(installed, 'create-authsmith'))
  const others = packed.filter((path) => !/^(blueprints|dist)\//.test(path))
  const read = ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin/create-authsmith.js', 'package.json']
  expect(others.sort()).toEqual(read)
  expect(packed).toContain('dist/cli.js')
  expect(packed).not.toContain('dist/examples.js')
})

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(installed, 'create-authsmith/package.json'), 'utf8'))
  for (const flag of ['--version', '-v']) {
    const cwd = inject('scratch')
    expect(await cli([flag], { cwd })).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  }
})

test('--help lists every flag and every exit code, with examples', async () => {
  const { code, stdout, stderr } = await cli(['--help'], { cwd: inject('scratch') })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const flags = ['[directory]', '-m, --mode', '-p, --profile', '-d, --database', '--package-manager']
  flags.push('--no-install', '--no-git', '-y, --yes', '--from', '--print-schema', '--dry-run', '--json')
  for (const flag of [...flags, '-v, --version', '-h, --help']) expect(stdout).toContain(flag)
  for (const exitCode of [0, 1, 2, 3, 4, 130]) expect(stdout).toMatch(new RegExp(`^ +${exitCode} `, 'm'))
  expect(stdout).toContain('create-authsmith my-api --mode basic --profile B --yes')
})
