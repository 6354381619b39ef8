import { expect, it } from 'vitest'
import { withLists } from '../../../src/blueprints/lists.ts'

it('an index.ts lists each file that exports a const of its own name, sorted by path', () => {
  const files = new Map([
    ['src/settings/server.ts', 'export const server = 1\n'],
    ['src/settings/rate-limits.ts', 'const a = 1\nexport const rateLimits = 1\n'],
    ['src/settings/types.ts', 'export const flag = 1\nexport const typesOf = 1\n'],
    ['src/settings/deep/inner.ts', 'export const inner = 1\n'],
    ['src/users/users.ts', 'export const users = 1\n'],
  ])
  const added = [...withLists(files)].filter(([path]) => !files.has(path))
  expect(added).toEqual([
    [
      'src/settings/index.ts',
      "export { rateLimits } from './rate-limits.ts'\nexport { server } from './server.ts'\n",
    ],
  ])
})
