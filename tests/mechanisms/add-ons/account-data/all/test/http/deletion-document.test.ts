import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { readOperations } from '../support/document.ts'

test('in the OpenAPI document, the body may be absent', async () => {
  const operations = await readOperations(await createTestApp())
  const deletion = operations.find(({ name }) => name === 'delete /api/v1/users/me')
  const body = deletion?.operation.requestBody
  expect(body).not.toHaveProperty('required')
  expect(body?.content['application/json'].schema.type).toBe('object')
})
