import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { succeed } from '../../support/command.ts'
import { isWhole } from '../variants/every-run.ts'
import { testsThatRead } from './changes.ts'
import { copyExample, EXAMPLES, runTests } from './run-tests.ts'

const variant = 'complete-b-sqlite-all'

const readers = testsThatRead(join(EXAMPLES, variant))

const STYLES = [{ tabWidth: 4, arrowParens: 'avoid', singleAttributePerLine: true }, {}]

test.each(isWhole ? STYLES : STYLES.slice(0, 1))(
  'the tests of an owner pass after Prettier formatted the project as a whole: %j',
  async (style) => {
    const project = copyExample(variant)
    writeFileSync(join(project, '.prettierrc'), JSON.stringify(style))
    await succeed(resolve('node_modules/.bin/prettier'), ['--write', '.'], { cwd: project })
    expect(readFileSync(join(project, 'src/server.ts'), 'utf8')).toContain('from "./config.ts";\n')
    expect(readers.length).toBeGreaterThan(10)
    expect(await runTests(project, readers)).toEqual(readers)
  },
)
