import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'

const file = new URL('../../pages/code-field.js', import.meta.url)

test.skipIf(!existsSync(file)).each([
  ['', ''],
  ['abcd', 'ABCD'],
  ['abcde', 'ABCD-E'],
  ['ABCDEFGHJKMNPQRS', 'ABCD-EFGH-JKMN-PQRS'],
  [' abcd efgh jkmn pqrs ', 'ABCD-EFGH-JKMN-PQRS'],
  ['abcd\u2013efgh\u2013jkmn\u2013pqrs', 'ABCD-EFGH-JKMN-PQRS'],
  ['Your code: abcd-efgh-jkmn-pqrs.', 'ABCD-EFGH-JKMN-PQRS'],
  // A token of another form: case matters.
  ['q0dRrTxz_-3kZpYv7mB2nC4xL6jH8gF1dS5aW9eU-oI', 'q0dRrTxz_-3kZpYv7mB2nC4xL6jH8gF1dS5aW9eU-oI'],
])('the page shows %j as %j', async (typed, shown) => {
  const { inGroups } = await import(file.href)
  expect(inGroups(typed)).toBe(shown)
})
