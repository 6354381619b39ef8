import { join } from 'node:path'
import { filesBelow } from '../../support/folder.ts'
import { isWhole } from '../variants/every-run.ts'
import { EXAMPLES } from './run-tests.ts'

/** The tests of a project whose path below test/ and text are as asked. */
const testsWhere = (project: string, isAsked: (path: string, text: string) => boolean): string[] =>
  [...filesBelow(join(project, 'test'))]
    .filter(([path, text]) => path.endsWith('.test.ts') && isAsked(path, text))
    .map(([path]) => `test/${path}`)

/**
 * The tests that read files of the project: the spelling of these and their line ends may matter to them. Those of commands
 * read what they wrote, so they are left to `test:all`.
 */
export const testsThatRead = (project: string): string[] =>
  testsWhere(
    project,
    (path, text) => /readFile|readdir/.test(text) && (isWhole || !path.startsWith('commands/')),
  )

/** The tests of a project that a new one of the variant does not have, or has with another text. */
export function ownTests(project: string, variant: string): string[] {
  const fresh = filesBelow(join(EXAMPLES, variant, 'test'))
  return testsWhere(project, (path, text) => fresh.get(path) !== text)
}

/**
 * The tests of a switched project that can come out differently than in a new one: its own, which are those of what it
 * accepts from before, and those of the database, which has more migrations.
 */
export const testsOfChanges = (project: string, variant: string): string[] => [
  'test/db/',
  ...ownTests(project, variant),
]
