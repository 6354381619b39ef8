// Covers src/merge/ and src/update/owner/owner-moves.ts with a project that Prettier formatted as a whole.
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run as runProgram } from '../../src/system/run.ts'
import { runCommand } from '../support/fixtures.ts'

/** Its defaults (double quotes, semicolons, 80 columns), and what differs most from our style and from them. */
const STYLES: Record<string, object> = {
  'the defaults of Prettier': {},
  'four spaces': {
    tabWidth: 4,
    arrowParens: 'avoid',
    trailingComma: 'none',
    bracketSameLine: true,
    overrides: [{ files: '*.md', options: { proseWrap: 'always' } }],
  },
  tabs: {
    useTabs: true,
    printWidth: 120,
    quoteProps: 'consistent',
    singleAttributePerLine: true,
    objectWrap: 'collapse',
  },
}

const real = { fs: nodeFs, run: runProgram, blueprints: resolve('blueprints') }
const NAMES = 'src/users/names.ts'
const REGISTER = 'test/accounts/register.test.ts'

/** Every run tests two. */
const styles = Object.entries(STYLES).filter(([name]) => process.env.TEST_ALL || name !== 'four spaces')

describe.each(styles)('a project that was formatted with %s', (_, style) => {
  let project: string
  let folder: string

  const read = (path: string) => nodeFs.readFileSync(join(project, path), 'utf8')
  const write = (path: string, text: string) => {
    nodeFs.mkdirSync(dirname(join(project, path)), { recursive: true })
    nodeFs.writeFileSync(join(project, path), text)
  }
  const move = (from: string, to: string) => {
    write(to, read(from))
    nodeFs.rmSync(join(project, from))
  }
  /** Runs the command, which must succeed. @returns its report */
  const succeed = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await runCommand([...args, '--json'], { ...real, cwd: project })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const update = async (...args: string[]) => {
    const { files, conflicts } = await succeed(...args, '--no-install')
    const wrong = ['conflict', 'yours', 'deleted', 'kept']
    expect(conflicts).toEqual([])
    expect(files.filter(({ action }: { action: string }) => wrong.includes(action))).toEqual([])
    return files as { path: string; action: string; detail?: string }[]
  }
  const lines = (path: string) =>
    read(path).trim().replaceAll('"', "'").replaceAll(';', '').split('\n').slice(1)

  beforeAll(async () => {
    folder = nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-prettier-'))
    const flags = ['-m', 'basic', '-p', 'B', '--add', 'pages,account-data', '--no-install', '--no-git']
    await runCommand(['my-api', ...flags], { ...real, cwd: folder })
    project = join(folder, 'my-api')
    write('src/settings/shop.ts', 'export const shop = 1\n')
    write('src/errors/shop.ts', 'export const shop = {}\n')
    for (const list of ['settings', 'errors'])
      write(`src/${list}/index.ts`, `${read(`src/${list}/index.ts`)}export { shop } from './shop.ts'\n`)
    move(NAMES, 'src/people/names.ts')
    move(REGISTER, 'test/people/register.test.ts')
    write('.prettierrc', JSON.stringify(style))
    const prettier = resolve('node_modules/.bin/prettier')
    const options = { cwd: project, signal: new AbortController().signal }
    expect(await runProgram(prettier, ['--write', '.'], options)).toMatchObject({ ok: true })
  })
  afterAll(() => nodeFs.rmSync(folder, { recursive: true, force: true }))

  it('is edited and moved only where the owner did that', async () => {
    const { edited, deleted, moved } = await succeed('status')
    expect(edited).toEqual(['src/errors/index.ts', 'src/settings/index.ts'])
    expect(deleted).toEqual([])
    expect(moved).toEqual([
      { from: NAMES, to: 'src/people/names.ts' },
      { from: REGISTER, to: 'test/people/register.test.ts' },
    ])
  })

  it('gets an add-on and loses another one', async () => {
    await update('add', 'metrics', 'admin')
    expect(lines('src/settings/index.ts')).toContain("export { metrics } from './metrics.ts'")
    const files = await update('remove', 'metrics', 'pages')
    expect(files.every(({ action }) => ['delete', 'update', 'merge', 'edited'].includes(action))).toBe(true)
    expect(nodeFs.existsSync(join(project, 'pages'))).toBe(false)
    expect(new Set(lines('src/settings/index.ts')).size).toBe(lines('src/settings/index.ts').length)
    expect(lines('src/settings/index.ts')).toContain("export { shop } from './shop.ts'")
    expect(lines('src/settings/index.ts')).not.toContain("export { metrics } from './metrics.ts'")
  })

  it('is switched in mode, profile and database, and its moved files with it', async () => {
    const files = await update('regenerate', '--mode', 'complete')
    expect(files).toContainEqual({
      path: 'test/people/register.test.ts',
      action: 'update',
      detail: `moved from ${REGISTER}`,
    })
    await update('regenerate', '--database', 'postgres')
    await update('remove', 'admin')
    await update('regenerate', '--profile', 'A')
    const { edited, deleted } = await succeed('status')
    expect({ edited, deleted }).toEqual({
      edited: ['src/errors/index.ts', 'src/settings/index.ts'],
      deleted: [],
    })
  })
})
