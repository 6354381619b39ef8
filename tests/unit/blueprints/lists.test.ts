import { expect, it } from 'vitest'
import { withLists } from '../../../src/blueprints/lists.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { allPlans } from '../../support/laws.ts'

const heading = '// One line for each file of this folder that exports a const of its own name.\n'

const listsOf = (files: Map<string, string>) => [...withLists(files)].filter(([path]) => !files.has(path))

it('an index.ts lists each file that exports a const of its own name, sorted by path', () => {
  const files = new Map([
    ['src/settings/server.ts', 'export const server = 1\n'],
    ['src/settings/rate-limits.ts', 'const a = 1\nexport const rateLimits = 1\n'],
    ['src/settings/types.ts', 'export const flag = 1\nexport const typesOf = 1\n'],
    ['src/settings/deep/inner.ts', 'export const inner = 1\n'],
    ['src/users/users.ts', 'export const users = 1\n'],
  ])
  expect(listsOf(files)).toEqual([
    [
      'src/settings/index.ts',
      `${heading}export { rateLimits } from './rate-limits.ts'\nexport { server } from './server.ts'\n`,
    ],
  ])
})

it('a list that a file imports can be empty', () => {
  const files = new Map([['src/context.ts', "import * as additions from './additions/index.ts'\n"]])
  expect(listsOf(files)).toEqual([['src/additions/index.ts', heading]])
})

it('no list has a helper, which other files of its folder import', () => {
  const faults = allPlans().flatMap((plan) => {
    const files = renderOnce(plan)
    return [...files].flatMap(([path, text]) => {
      const [, folder] =
        /^(src\/(?:additions|errors|exports|settings))\/(?!index)[\w-]+\.ts$/.exec(path) ?? []
      const imported = folder ? [...text.matchAll(/from '\.\/([\w-]+\.ts)'/g)].map(([, file]) => file) : []
      const list = files.get(`${folder}/index.ts`) ?? ''
      return imported.filter((file) => list.includes(`'./${file}'`)).map((file) => `${path} imports ${file}`)
    })
  })
  // The name of the service is no setting, and has no file of its own.
  const named = 'src/settings/theme.ts imports server.ts'
  expect(faults.filter((fault) => fault !== named)).toEqual([])
})
