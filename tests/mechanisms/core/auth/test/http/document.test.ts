import { expect, test } from 'vitest'
import { shareTestApp } from '../support/app.ts'
import { readOperations } from '../support/document.ts'

const operations = await readOperations(await shareTestApp())

test.each(operations.filter(({ operation }) => ['auth', 'users'].includes(operation.tags[0] ?? '')))(
  'ids are integers: $name',
  ({ name, operation, typesOfIds }) => {
    const isAboutUser = name.includes('/users') && '200' in operation.responses
    if (name.includes('{id}') || isAboutUser) expect(typesOfIds).not.toEqual([])
    expect(typesOfIds.filter((type) => type !== 'integer')).toEqual([])
  },
)
