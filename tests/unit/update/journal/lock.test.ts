import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../../src/system/file-system.ts'
import type { System } from '../../../../src/system/system.ts'
import { withLock } from '../../../../src/update/journal/lock.ts'
import { memoryFs } from '../../../support/fixtures.ts'
import { DEAD, FIRST, SECOND, STALE_LOCKS } from '../../../support/stale-locks.ts'

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
    expect(seen.length).toBeGreaterThan(2)
    for (const text of seen) expect(text).toMatch(/^4242\n/)
  })

  it.each(Object.entries(STALE_LOCKS))('is taken and released without leftovers: %s', (_, stale) => {
    const files = Object.entries(stale).map(([name, text]) => [`${project}/.authsmith/${name}`, text])
    const memory = prepared(Object.fromEntries(files))
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

  it.each(['EPERM', 'ENOTSUP'])('works on a disk without hard links (%s)', (code) => {
    const memory = prepared({ [path]: `${DEAD}\n` })
    const linkSync = () => {
      throw Object.assign(new Error(code), { code })
    }
    const withoutLinks = { ...memory.fs, linkSync }
    withLock(system(withoutLinks), project, () => {
      const other = () => withLock(system(withoutLinks, { pid: 77, isAlive: () => true }), project, () => {})
      expect(other).toThrow('Another create-authsmith')
    })
    expect(left(memory)).toEqual([])
  })

  it('is not held by a process that took over a chain released in the meantime', () => {
    const memory = prepared({ [path]: `${DEAD}\n${FIRST}\n` })
    let isFirst = true
    const slow = {
      ...memory.fs,
      // Before this process takes over from the dead one, another takes over and ends, and a third takes the lock.
      linkSync: (from: string, to: string) => {
        if (isFirst) {
          isFirst = false
          withLock(system(memory.fs), project, () => {})
          memory.volume.writeFileSync(path, `77\n${SECOND}\n`)
        }
        memory.fs.linkSync(from, to)
      },
    } as FileSystem
    const taking = () => withLock(system(slow, { isAlive: (pid) => pid === 77 }), project, () => 'held')
    expect(taking).toThrow('process 77')
    expect(left(memory)).toEqual(['lock'])
  })

  it('is held after another process removed the draft as stale', () => {
    const memory = prepared()
    let isFirst = true
    const slow = {
      ...memory.fs,
      linkSync: (from: string, to: string) => {
        if (isFirst) {
          isFirst = false
          withLock(system(memory.fs), project, () => {})
        }
        memory.fs.linkSync(from, to)
      },
    } as FileSystem
    expect(withLock(system(slow), project, () => 'held')).toBe('held')
    expect(left(memory)).toEqual([])
  })

  it('does not follow a chain in a cycle, or out of its folder', () => {
    const circle = { [path]: `1\n${FIRST}\n`, [`${path}.${FIRST}.next.tmp`]: `1\n${FIRST}\n` }
    expect(() => withLock(system(prepared(circle).fs), project, () => {})).toThrow('delete')
    const outside = prepared({ [path]: '1\n../../../outside\n', '/outside.next.tmp': '77\n' })
    expect(withLock(system(outside.fs, { isAlive: (pid) => pid === 77 }), project, () => 'held')).toBe('held')
  })
})
