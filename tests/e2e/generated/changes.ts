import { join } from 'node:path'
import { filesBelow } from '../../support/folder.ts'
import { EXAMPLES } from './run-tests.ts'

/** The tests of a project that a new one of the variant does not have, or has with another text. */
export function ownTests(project: string, variant: string): string[] {
  const fresh = filesBelow(join(EXAMPLES, variant, 'test'))
  return [...filesBelow(join(project, 'test'))]
    .filter(([path, text]) => path.endsWith('.test.ts') && fresh.get(path) !== text)
    .map(([path]) => `test/${path}`)
}

/**
 * The tests of a switched project that can come out differently than in a new one: its own, which are those of what it
 * accepts from before, and those of the database, which has more migrations.
 */
export const testsOfChanges = (project: string, variant: string): string[] => [
  'test/db/',
  ...ownTests(project, variant),
]
