import { describe, expect, it } from 'vitest'
import { inspectTarget, parseDirectory } from '../../../src/create/target.ts'
import { memoryFs, runCommand } from '../../support/fixtures.ts'

const look = (directory: string, memory = memoryFs(), cwd = '/work') =>
  inspectTarget(memory.fs, parseDirectory(directory, cwd))

describe('the directory argument', () => {
  it.each([
    ['my-api', '/work/my-api'],
    ['./my-api', '/work/my-api'],
    ['my-api/', '/work/my-api'],
    ['my-api//', '/work/my-api'],
    ['../my-api', '/my-api'],
    ['/srv/Apps and more/my-api', '/srv/Apps and more/my-api'],
    ['.', '/work'],
    ['./', '/work'],
  ])('%s is %s', (directory, path) => {
    expect(parseDirectory(directory, '/work')).toEqual({ directory, path, name: path.split('/').at(-1) })
  })

  it.each([
    '',
    '/',
    '..',
    '../..',
    'my-api/..',
    'my-api/.',
    'my-api/../',
    'a/../..',
    '/work/My-Api',
    'src/con',
    'a\u0007/my-api',
    'a\n/my-api',
    '\u0000/my-api',
  ])('refuses %j', (directory) => {
    expect(() => parseDirectory(directory, '/work')).toThrow(expect.objectContaining({ code: 'usage' }))
  })

  it('refuses . in a directory whose name is not a project name', () => {
    expect(() => parseDirectory('.', '/home/My Documents')).toThrow('lower-case')
    expect(() => parseDirectory('.', '/')).toThrow('empty')
  })
})

describe('the target', () => {
  it('may be missing, with the directories on the way, or empty', () => {
    expect(look('my-api')).toMatchObject({ exists: false, kept: [], stagingParent: '/work' })
    expect(look('a/b/my-api')).toMatchObject({ exists: false, stagingParent: '/work' })
    expect(look('.')).toMatchObject({ exists: true, kept: [], stagingParent: '/work' })
  })

  it('may contain the files of a new repository', () => {
    const memory = memoryFs({
      '/work/x/.git/HEAD': '',
      '/work/x/LICENSE': '',
      '/work/x/README.md': '',
      '/work/x/.gitignore': '',
    })
    expect(look('x', memory)).toMatchObject({
      exists: true,
      kept: ['.git', '.gitignore', 'LICENSE', 'README.md'],
    })
  })

  it.each(['package.json', '.env', 'readme.md', 'LICENSE.txt', '.github', '.gitattributes', 'a\u001b[2J'])(
    'must not contain %j',
    (entry) => {
      const memory = memoryFs({ [`/work/x/${entry}`]: '' })
      expect(() => look('x', memory)).toThrow(expect.objectContaining({ code: 'refused' }))
    },
  )

  it('must not be a file, nor lie below one', () => {
    const memory = memoryFs({ '/work/x': '' })
    expect(() => look('x', memory)).toThrow('is not a directory')
    expect(() => look('x/y', memory)).toThrow('/work/x is not a directory')
    expect(() => look('x/y/z', memory)).toThrow('/work/x is not a directory')
  })

  it.each([
    ['to an empty directory', '/elsewhere'],
    ['to a missing one', '/nowhere'],
    ['to a file', '/file'],
    ['to itself', '/work/x'],
  ])('must not be a symbolic link %s', (_, to) => {
    const memory = memoryFs({ '/file': '' })
    memory.volume.mkdirSync('/elsewhere')
    memory.volume.symlinkSync(to, '/work/x')
    for (const directory of ['x', './x', 'x/', '/work/x']) {
      expect(() => look(directory, memory)).toThrow(expect.objectContaining({ code: 'refused' }))
    }
  })

  it('may lie below a link to a directory, not below a dangling one', () => {
    const memory = memoryFs()
    memory.volume.mkdirSync('/real')
    memory.volume.symlinkSync('/real', '/work/link')
    memory.volume.symlinkSync('/nowhere', '/work/dangling')
    expect(look('link/x', memory)).toMatchObject({ exists: false, stagingParent: '/work/link' })
    expect(() => look('dangling/x', memory)).toThrow('/work/dangling is not a directory')
  })

  it('is refused if the current directory was removed', async () => {
    const { exitCode, stderr } = await runCommand(['x', '--mode', 'none', '--yes'], { cwd: '' })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('The current directory no longer exists')
  })

  it('is refused with exit code 3, one line and no trace', async () => {
    const memory = memoryFs({
      '/work/x/a\u001b[2Jb': 'mine',
      '/work/x/c': '',
      '/work/x/d': '',
      '/work/x/e': '',
    })
    const { exitCode, stdout, stderr } = await runCommand(['x', '--mode', 'none', '--yes'], { fs: memory.fs })
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
    expect(stderr).toMatch(
      /^create-authsmith: \/work\/x is not empty \(a\\u\{1b\}\[2Jb, c, d, …\)[^\p{Cc}]+\n$/u,
    )
    expect(memory.fs.readdirSync('/work')).toEqual(['x'])
  })
})
