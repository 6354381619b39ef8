import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The imports between folders of tests/, as `from → to`. What they share belongs in support/. */
function importsBetweenFolders(files: ReadonlyMap<string, string>): string[] {
  const folderOf = (path: string) => path.split(sep)[0] ?? ''
  return [...files].flatMap(([path, source]) =>
    [...source.matchAll(/(?:from|import|import\() ?'(\.[^']+)'/g)]
      .map(([, specifier = '']) => normalize(join(dirname(path), specifier)))
      // What else looks like an import is generated code in a text.
      .filter((target) => files.has(target) && folderOf(target) !== 'support')
      .filter((target) => folderOf(target) !== folderOf(path))
      .map((target) => `${folderOf(path)} → ${folderOf(target)}: ${path} imports ${target}`),
  )
}

describe('a folder of tests', () => {
  it('imports nothing from another folder but support/', () => {
    const root = join(import.meta.dirname, '..')
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    const files = new Map(
      paths
        .filter((path) => /\.[jt]s$/.test(path))
        .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
    )
    expect(files.size).toBeGreaterThan(50)
    expect(importsBetweenFolders(files)).toEqual([])
  })

  const forms = [
    (target: string) => `import { a } from '${target}'`,
    (target: string) => `import '${target}'`,
    (target: string) => `const { a } = await import('${target}')`,
    (target: string) => `/** @type {import('${target}').A} */`,
  ]
  it.each([
    ['must not', '../data/a.ts', 1],
    ['may', '../support/a.ts', 0],
    ['may', './harness/a.ts', 0],
    ['may', '../../src/a.ts', 0],
  ])('%s import %s', (_, target, count) => {
    const path = join('e2e', 'some.test.ts')
    const others = ['data', 'support', 'e2e/harness'].map(
      (folder) => [normalize(`${folder}/a.ts`), ''] as const,
    )
    for (const form of forms)
      expect(importsBetweenFolders(new Map([[path, form(target)], ...others]))).toHaveLength(count)
  })
})
