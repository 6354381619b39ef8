import { join } from 'node:path'
import { filesBelow } from '../../support/folder.ts'
import { EXAMPLES } from './run-tests.ts'

/**
 * The tests of a switched project that can come out differently than in a new one: those with another text, which are
 * those of what it accepts from before, and those of the database, which has more migrations.
 */
export function testsOfChanges(project: string, variant: string): string[] {
  const fresh = filesBelow(join(EXAMPLES, variant, 'test'))
  const differing = [...filesBelow(join(project, 'test'))]
    .filter(([path, text]) => path.endsWith('.test.ts') && fresh.get(path) !== text)
    .map(([path]) => `test/${path}`)
  return ['test/db/', ...differing]
}
