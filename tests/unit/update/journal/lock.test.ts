import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../../src/system/file-system.ts'
import type { System } from '../../../../src/system/system.ts'
import { withLock } from '../../../../src/update/journal/lock.ts'
import { memoryFs } from '../../../support/fixtures.ts'
import { DEAD, STALE_LOCKS } from '../../../support/stale-locks.ts'

describe('the lock', () => {
  const project = '/work/my-api'
  const path = `${project}/.authsmith/lock`
  const system = (files: FileSystem, overrides: Partial<System> = {}) =>
    ({ fs: files, pid: 4242, isAlive: () => false, ...overrides }) as unknown as System
  const prepared = (files: Record<string, string> = {}) => {
    const memory = memoryFs(files)
    memory.volume.mkdirSync(`${project}/.authsmith`, { recursive: true })
    return memory
  }
  const left = ({ volume }: ReturnType<typeof memoryFs>) => volume.readdirSync(`${project}/.authsmith`)

  it('is refused while another process has it, and the error names the file to delete', () => {
    const memory = prepared({ [path]: '77\n' })
    const taking = () => withLock(system(memory.fs, { isAlive: (pid) => pid === 77 }), project, () => {})
    expect(taking).toThrow(
      `Another create-authsmith is changing the project. Wait for it to end. If there is none, delete ${path}.`,
    )
    expect(left(memory)).toEqual(['lock'])
  })

  it('contains the process id from the start', () => {
    const memory = prepared()
    const seen: string[] = []
    const watched = new Proxy(memory.fs, {
      get: (target, name: keyof FileSystem) => {
        if (memory.fs.existsSync(path)) seen.push(memory.volume.readFileSync(path, 'utf8') as string)
        return target[name]
      },
    })
    withLock(system(watched), project, () => {})
    expect(seen.length).toBeGreaterThan(0)
    for (const text of seen) expect(text).toMatch(/^4242\n/)
  })

  it.each(Object.entries(STALE_LOCKS))('is taken and released without leftovers: %s', (_, stale) => {
    const memory = prepared(stale === undefined ? {} : { [path]: stale })
    expect(withLock(system(memory.fs), project, () => 'done')).toBe('done')
    expect(left(memory)).toEqual([])
  })

  it('is released after an error too', () => {
    const memory = prepared()
    const failing = () => {
      throw new Error('broken')
    }
    expect(() => withLock(system(memory.fs), project, failing)).toThrow('broken')
    expect(left(memory)).toEqual([])
  })

  it.each(['77\n', ''])('is refused while there is a draft, and the error names that file: %j', (text) => {
    const memory = prepared({ [`${path}.tmp`]: text })
    expect(() => withLock(system(memory.fs), project, () => {})).toThrow(
      `If there is none, delete ${path}.tmp.`,
    )
    expect(left(memory)).toEqual(['lock.tmp'])
  })

  it('leaves no draft on a full disk', () => {
    const memory = prepared()
    const full = {
      ...memory.fs,
      writeFileSync: (path: string) => {
        memory.volume.writeFileSync(path, '')
        throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      },
    } as unknown as FileSystem
    expect(() => withLock(system(full), project, () => {})).toThrow('full')
    expect(left(memory)).toEqual([])
  })

  it('is taken after a run with the same process id, as in a container', () => {
    const memory = prepared({ [path]: '4242\n' })
    expect(withLock(system(memory.fs, { isAlive: () => true }), project, () => 'held')).toBe('held')
    expect(left(memory)).toEqual([])
  })

  // A repository may contain it. Its target must stay as it is (CWE-59).
  it('is refused if it is a link', () => {
    const memory = prepared({ '/elsewhere': '77\n' })
    memory.volume.symlinkSync('/elsewhere', path)
    expect(() => withLock(system(memory.fs), project, () => {})).toThrow(`delete ${path}.`)
    expect(memory.volume.readFileSync('/elsewhere', 'utf8')).toBe('77\n')
  })

  it('is not taken over from a process that took it over in the meantime', () => {
    const memory = prepared({ [path]: `${DEAD}\n` })
    let isFirst = true
    const slow = {
      ...memory.fs,
      // After this process has read the lock of the dead one, another takes it.
      writeFileSync: (...args: Parameters<FileSystem['writeFileSync']>) => {
        if (isFirst) memory.volume.writeFileSync(path, '77\n')
        isFirst = false
        memory.fs.writeFileSync(...args)
      },
    } as FileSystem
    const taking = () => withLock(system(slow, { isAlive: (pid) => pid === 77 }), project, () => 'held')
    expect(taking).toThrow('Another create-authsmith')
    expect(left(memory)).toEqual(['lock'])
  })
})
