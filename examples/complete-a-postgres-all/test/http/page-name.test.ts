import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const isThere = existsSync(new URL('../../pages/verify-email.html', import.meta.url))

test.skipIf(!isThere)('the name of the service is escaped in the pages', async () => {
  const named = await createTestApp({ EMAIL_FROM_NAME: '<b>Shop</b>', EMAILS_FROM_NAME: '<b>Shop</b>' })
  const { body } = await named.inject({ url: '/verify-email' })
  expect(body).not.toContain('<b>Shop')
  expect(body).not.toContain('{{')
})

test.skipIf(!isThere)('password managers find where a password is changed', async () => {
  const app = await createTestApp()
  const { statusCode, headers } = await app.inject({ url: '/.well-known/change-password' })
  expect([statusCode, headers.location]).toEqual([302, expect.stringMatching(/^\/(account|reset-password)$/)])
  expect((await app.inject({ url: String(headers.location) })).body).toContain('-password"')
})

test.skipIf(!isThere)('password managers find the name that a new password belongs to', async () => {
  const { body } = await (await createTestApp()).inject({ url: '/reset-password' })
  const fields = [...body.matchAll(/autocomplete="(username|new-password)"/g)].map(([, name]) => name)
  expect(fields).toEqual(['username', 'new-password'])
})
