import { expect, it } from 'vitest'
import { readTree, textsAt } from '../../../src/project/tree.ts'
import type { FileSystem } from '../../../src/system/file-system.ts'
import { memoryFs } from '../../support/fixtures.ts'

/** A project, and how often each function of its file system was called. */
function counted(files: Record<string, string>) {
  const memory = memoryFs(files)
  const calls = { readFileSync: 0, readdirSync: 0 }
  const fs = new Proxy(memory.fs, {
    get: (target, name: keyof FileSystem) => {
      if (name in calls) calls[name as keyof typeof calls] += 1
      return target[name]
    },
  })
  return { ...memory, fs, calls }
}

it('a file is read once, so every step of a command sees the same text', () => {
  const { fs, volume, calls } = counted({ '/p/src/a.ts': 'one' })
  const tree = readTree(fs, '/p')
  expect(tree.text('src/a.ts')).toBe('one')
  volume.writeFileSync('/p/src/a.ts', 'two')
  expect(tree.text('src/a.ts')).toBe('one')
  expect([...textsAt(tree, () => true)]).toEqual([['src/a.ts', 'one']])
  expect(calls.readFileSync).toBe(1)
})

it('files are listed once, and only when they are asked for', () => {
  const { fs, calls } = counted({ '/p/src/a.ts': '', '/p/.env': '', '/p/node_modules/b/c.js': '' })
  const tree = readTree(fs, '/p')
  expect(calls.readdirSync).toBe(0)
  expect(tree.paths).toEqual(['src/a.ts'])
  const once = calls.readdirSync
  expect(tree.paths).toEqual(['src/a.ts'])
  expect(calls.readdirSync).toBe(once)
})

it("the owner's other settings are named, but not the examples", () => {
  const files = { '/p/.env': '', '/p/.env.example': '', '/p/.env.test': '', '/p/.env.production': '' }
  expect(readTree(memoryFs(files).fs, '/p').envPaths).toEqual(['.env.production', '.env.test'])
})
