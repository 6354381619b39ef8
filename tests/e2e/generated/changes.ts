import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow } from '../../support/folder.ts'
import { EXAMPLES } from './run-tests.ts'

/**
 * The tests of a switched project that can come out differently than in a new one: those with another text, those of the
 * folders of src/ in which a file differs, and those of the database, which has more migrations.
 */
export function testsOfChanges(project: string, variant: string): string[] {
  const differing = (folder: string) => {
    const fresh = filesBelow(join(EXAMPLES, variant, folder))
    return [...filesBelow(join(project, folder))]
      .filter(([path, text]) => fresh.get(path) !== text)
      .map(([path]) => path)
  }
  const texts = differing('test')
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path}`)
  const folders = ['db', ...differing('src').map((path) => path.replace(/\/.*/, ''))]
    .map((name) => `test/${name}/`)
    .filter((folder) => existsSync(join(project, folder)))
  return [...new Set([...texts, ...folders])]
}
