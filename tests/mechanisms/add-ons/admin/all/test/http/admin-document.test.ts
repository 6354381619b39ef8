import { expect, test } from 'vitest'
import { shareTestApp } from '../support/app.ts'
import { readOperations } from '../support/document.ts'

const app = await shareTestApp()
const operations = (await readOperations(app)).filter(({ operation }) => operation.tags[0] === 'admin')

test.each(operations)('ids are integers: $name', ({ typesOfIds }) => {
  expect(typesOfIds).not.toEqual([])
  expect(typesOfIds.filter((type) => type !== 'integer')).toEqual([])
})

test('the tag admin has a description, and stands between users and health', async () => {
  const { tags } = (await app.inject({ url: '/openapi.json' })).json<{
    tags: { name: string; description?: string }[]
  }>()
  const names = tags.map(({ name }) => name)
  expect(names.indexOf('admin')).toBeGreaterThan(names.indexOf('users'))
  expect(names.indexOf('admin')).toBeLessThan(names.indexOf('health'))
  expect(tags.find(({ name }) => name === 'admin')?.description).toMatch(/./)
})
