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

  it('names the process that holds it, and the file to delete', () => {
    const memory = prepared({ [path]: '77\n' })
    const taking = () => withLock(system(memory.fs, { isAlive: (pid) => pid === 77 }), project, () => {})
    expect(taking).toThrow(
      `Another create-authsmith (process 77) is changing the project. Wait for it to end. If there is none, delete ${path}.`,
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

  it('is refused while another process has the draft, and the error names that file', () => {
    const memory = prepared({ [`${path}.tmp`]: '77\n' })
    const taking = () => withLock(system(memory.fs, { isAlive: (pid) => pid === 77 }), project, () => {})
    expect(taking).toThrow(
      `Another create-authsmith (process 77) is changing the project. Wait for it to end. If there is none, delete ${path}.tmp.`,
    )
    expect(left(memory)).toEqual(['lock.tmp'])
  })

  it.each([
    ['of a killed process', DEAD],
    ['of a run with the same process id, as in a container', 4242],
  ])('is taken after a draft %s', (_, pid) => {
    const memory = prepared({ [`${path}.tmp`]: `${pid}\n` })
    expect(withLock(system(memory.fs), project, () => 'held')).toBe('held')
    expect(left(memory)).toEqual([])
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
    expect(taking).toThrow('process 77')
    expect(left(memory)).toEqual(['lock'])
  })
})
