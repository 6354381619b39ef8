import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brandVariables } from '../../src/appearance.ts'
import { createTestApp } from '../support/app.ts'

const isThere = existsSync(new URL('../../pages/verify-email.html', import.meta.url))

test.skipIf(!isThere)('the sender name is the name of the service, and escaped in the pages', async () => {
  const named = await createTestApp({ EMAIL_FROM_NAME: '<b>Shop</b>', EMAILS_FROM_NAME: '<b>Shop</b>' })
  expect(brandVariables(named.config).app_name).toBe('<b>Shop</b>')
  const { body } = await named.inject({ url: '/verify-email' })
  expect(body).not.toContain('<b>Shop')
  expect(body).not.toContain('{{')
})
