// Covers src/system/system-error.ts.
import { describe, expect, it } from 'vitest'
import { inspectTarget, parseDirectory } from '../../../src/create/target.ts'
import { writeProject } from '../../../src/create/write.ts'
import { UserError } from '../../../src/system/errors.ts'
import type { FileSystem } from '../../../src/system/file-system.ts'
import { filesIn, memoryFs } from '../../support/fixtures.ts'

const FILES = [
  { path: '.env', text: 'KEY=secret\n', mode: 0o600 },
  { path: 'package.json', text: '{}\n' },
  { path: 'src/app.ts', text: 'export {}\n' },
  { path: 'src/routes/me.ts', text: 'export {}\n' },
]
const WRITTEN = Object.fromEntries(FILES.map(({ path, text }) => [path, text]))

function write(
  memory: ReturnType<typeof memoryFs>,
  directory: string,
  overrides: Partial<WriteOverrides> = {},
) {
  const { fs = memory.fs, signal = new AbortController().signal, isAlive = () => true } = overrides
  const target = inspectTarget(memory.fs, parseDirectory(directory, '/work'))
  overrides.afterInspection?.()
  return writeProject({ fs, signal, pid: 7, isAlive }, target, FILES, 'abc123')
}

interface WriteOverrides {
  fs: FileSystem
  signal: AbortSignal
  isAlive: (pid: number) => boolean
  afterInspection: () => void
}

/** A file system in which the nth call of `name` throws. */
function failing(
  fs: FileSystem,
  name: 'writeFileSync' | 'renameSync' | 'mkdirSync',
  nth: number,
  code: string,
): FileSystem {
  let calls = 0
  return new Proxy(fs, {
    get(target, property) {
      const original = target[property as keyof FileSystem] as (...args: unknown[]) => unknown
      if (property !== name) return original.bind(target)
      return (...args: unknown[]) => {
        calls += 1
        const [path, dest] = args
        if (calls === nth)
          throw Object.assign(new Error(code), { code, path, ...(name === 'renameSync' && { dest }) })
        return original.apply(target, args)
      }
    },
  })
}

describe('writing a project', () => {
  it('creates the directory, with a .env that only its owner can read', async () => {
    const memory = memoryFs()
    await write(memory, 'my-api')
    expect(filesIn(memory, '/work')).toEqual(
      Object.fromEntries(FILES.map(({ path, text }) => [`my-api/${path}`, text])),
    )
    expect(memory.volume.statSync('/work/my-api/.env').mode & 0o777).toBe(0o600)
    expect(memory.volume.statSync('/work/my-api/package.json').mode & 0o777).not.toBe(0o600)
  })

  it('creates the missing parent directories, with the same single rename', async () => {
    const memory = memoryFs()
    const renames: unknown[][] = []
    const fs = new Proxy(memory.fs, {
      get: (target, property: keyof FileSystem) =>
        property === 'renameSync'
          ? (...args: [string, string]) => {
              renames.push(args)
              return target.renameSync(...args)
            }
          : (target[property] as () => void).bind(target),
    })
    await write(memory, 'a/b/my-api', { fs })
    expect(renames).toEqual([['/work/.create-authsmith-7-abc123', '/work/a']])
    expect(Object.keys(filesIn(memory, '/work/a/b/my-api'))).toHaveLength(FILES.length)
  })

  it('fills an empty directory without replacing it', async () => {
    const memory = memoryFs()
    memory.volume.mkdirSync('/work/my-api')
    const { ino } = memory.volume.statSync('/work/my-api')
    await write(memory, 'my-api')
    expect(filesIn(memory, '/work/my-api')).toEqual(WRITTEN)
    expect(memory.volume.statSync('/work/my-api').ino).toBe(ino)
  })

  it('keeps the files that the target may contain', async () => {
    const own = { '.git/HEAD': 'ref', LICENSE: 'mine', 'README.md': 'mine', '.gitignore': 'mine' }
    const memory = memoryFs(
      Object.fromEntries(Object.entries(own).map(([path, text]) => [`/work/my-api/${path}`, text])),
    )
    await write(memory, 'my-api')
    expect(filesIn(memory, '/work/my-api')).toEqual({ ...WRITTEN, ...own })
  })

  const faults = [
    ['mkdirSync', 1, 'EACCES', 'permission denied'],
    ['mkdirSync', 2, 'ENOSPC', 'no space'],
    ['writeFileSync', 1, 'EROFS', 'read-only'],
    ['writeFileSync', 3, 'ENOSPC', 'no space'],
    ['writeFileSync', 4, 'EDQUOT', 'quota'],
    ['renameSync', 1, 'EIO', 'EIO'],
  ] as const
  it.each(faults)('leaves nothing if %s number %i fails with %s', async (name, nth, code, message) => {
    const memory = memoryFs()
    const writing = write(memory, 'my-api', { fs: failing(memory.fs, name, nth, code) })
    await expect(writing).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining(message) })
    expect(memory.fs.readdirSync('/work')).toEqual([])
  })

  it.each([
    ['mkdirSync', 3, '/src'],
    ['writeFileSync', 1, '/.env'],
    ['writeFileSync', 4, '/src/routes/me.ts'],
    ['renameSync', 1, ''],
  ] as const)('names the file as it would be called, if %s number %i fails', async (name, nth, file) => {
    const memory = memoryFs()
    const writing = write(memory, 'my-api', { fs: failing(memory.fs, name, nth, 'EROFS') })
    const message = expect.stringContaining(`Cannot write /work/my-api${file}: the file system is read-only`)
    await expect(writing).rejects.toMatchObject({ message })
  })

  it.each([1, 2, 3])('removes everything from an existing target if rename %i fails', async (nth) => {
    const memory = memoryFs({ '/work/my-api/README.md': 'mine' })
    const writing = write(memory, 'my-api', { fs: failing(memory.fs, 'renameSync', nth, 'ENOSPC') })
    await expect(writing).rejects.toBeInstanceOf(UserError)
    expect(filesIn(memory, '/work/my-api')).toEqual({ 'README.md': 'mine' })
    expect(memory.fs.readdirSync('/work/my-api')).toEqual(['README.md'])
  })

  it.each([1, 2, 3, 4])('leaves nothing if a signal arrives at file %i', async (nth) => {
    const memory = memoryFs()
    const interruption = new AbortController()
    let written = 0
    const fs = new Proxy(memory.fs, {
      get: (target, property: keyof FileSystem) =>
        property === 'writeFileSync'
          ? (...args: Parameters<FileSystem['writeFileSync']>) => {
              written += 1
              if (written === nth) interruption.abort()
              return target.writeFileSync(...args)
            }
          : (target[property] as () => void).bind(target),
    })
    const writing = write(memory, 'my-api', { fs, signal: interruption.signal })
    await expect(writing).rejects.toMatchObject({ code: 'interrupted' })
    expect(written).toBe(nth)
    expect(memory.fs.readdirSync('/work')).toEqual([])
  })

  it('refuses a target that was filled after the inspection, and keeps its files', async () => {
    const taken = memoryFs()
    const afterInspection = () => taken.volume.fromJSON({ '/work/my-api/notes.txt': 'mine' })
    await expect(write(taken, 'my-api', { afterInspection })).rejects.toMatchObject({ code: 'refused' })
    expect(filesIn(taken, '/work')).toEqual({ 'my-api/notes.txt': 'mine' })

    const filled = memoryFs()
    filled.volume.mkdirSync('/work/my-api')
    const fill = () => filled.volume.writeFileSync('/work/my-api/package.json', 'mine')
    await expect(write(filled, 'my-api', { afterInspection: fill })).rejects.toMatchObject({
      code: 'refused',
    })
    expect(filesIn(filled, '/work')).toEqual({ 'my-api/package.json': 'mine' })
  })

  it('removes the leftovers of a killed run, but not those of a running one or files with another name', async () => {
    const memory = memoryFs({
      '/work/.create-authsmith-111-dead00/my-api/.env': 'KEY=old',
      '/work/.create-authsmith-222-live00/.env': 'KEY=live',
      '/work/.create-authsmith-notes/a': 'mine',
      '/work/.create-authsmith-333-file00': 'mine',
    })
    await write(memory, 'my-api', { isAlive: (pid) => pid === 222 })
    expect(memory.fs.readdirSync('/work').sort()).toEqual([
      '.create-authsmith-222-live00',
      '.create-authsmith-333-file00',
      '.create-authsmith-notes',
      'my-api',
    ])
  })

  it('writes into a target that contains only the leftovers of a killed run', async () => {
    const memory = memoryFs({ '/work/my-api/.create-authsmith-111-dead00/package.json': '{' })
    await write(memory, 'my-api', { isAlive: () => false })
    expect(filesIn(memory, '/work/my-api')).toEqual(WRITTEN)
  })
})
