import { readdir } from 'node:fs/promises'
import { getTableName, is } from 'drizzle-orm'
import { Table } from 'drizzle-orm/table'
import { expect, test } from 'vitest'
import { password } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

const folder = new URL('../../src/db/schema/', import.meta.url)
const email = 'nobody@example.com'
const token = 'A'.repeat(43)
const client = { grant_type: 'client_credentials', client_id: 'made-up', client_secret: 'made-up' }

/** What each open route gets from a stranger, and which rows one such request may write. */
const open: Record<string, [body: object | undefined, rows: Record<string, number>]> = {
  'POST /api/v1/auth/login': [{ username: 'nobody', password }, { attempts: 2 }],
  'POST /api/v1/auth/register': [
    { email, username: 'nobody', password },
    { attempts: 2, outbox: 1, users: 1, emailed_tokens: 1 },
  ],
  'POST /api/v1/auth/refresh': [{ refresh_token: token }, {}],
  'POST /api/v1/auth/logout': [{ refresh_token: token }, {}],
  'POST /api/v1/auth/verify-email': [{ token }, {}],
  'POST /api/v1/auth/resend-verification': [{ email: 'other@example.com' }, { mail_requests: 1 }],
  'POST /api/v1/auth/forgot-password': [{ email: 'other@example.com' }, { mail_requests: 1 }],
  'POST /api/v1/auth/email-login': [{ email: 'other@example.com' }, { mail_requests: 1 }],
  'POST /api/v1/auth/email-login/confirm': [{ token }, {}],
  'POST /api/v1/auth/reset-password': [{ token, new_password: password }, {}],
  'POST /api/v1/auth/undo-email-change': [{ token }, {}],
  'POST /api/v1/auth/undo-additions': [{ token }, {}],
  'POST /api/v1/auth/mfa': [{ mfa_token: token, code: '123456' }, {}],
  'POST /api/v1/auth/mfa/passkey/options': [{ mfa_token: token }, {}],
  'POST /api/v1/auth/passkeys/login': [{ credential: {} }, {}],
  // A challenge, which expires in 5 minutes; the clean-up deletes it.
  'POST /api/v1/auth/passkeys/login/options': [undefined, { sign_in_tokens: 1 }],
  'POST /api/v1/auth/oidc/exchange': [{ code: token, code_verifier: token }, {}],
  'POST /api/v1/auth/token': [client, {}],
  'POST /api/v1/auth/introspect': [undefined, {}],
}

/** That of emailed tokens is named differently in each profile. */
const nameOf = (table: Table) =>
  getTableName(table).replace(/^(verification_codes|tokens)$/, 'emailed_tokens')

async function countRows(app: TestApp) {
  const counts: Record<string, number> = {}
  for (const file of await readdir(folder)) {
    const module: Record<string, unknown> = await import(new URL(file, folder).href)
    for (const table of Object.values(module))
      if (is(table, Table)) counts[nameOf(table)] = await app.db.read.$count(table as never)
  }
  return counts
}

// A flood of made-up requests must not fill the disk: a new route without a login is entered above.
test('one request of a stranger writes the rows that are named for its route, and no others', async () => {
  const app = await createTestApp()
  const { paths } = (await app.inject({ url: '/openapi.json' })).json<{
    paths: Record<string, Record<string, { security: object[] }>>
  }>()
  const written: Record<string, object> = {}
  const expected: Record<string, object> = {}
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { security }] of Object.entries(methods)) {
      if (security.length > 0 && security.every((scheme) => 'bearer' in scheme)) continue
      if (['get', 'head'].includes(method)) continue
      const route = `${method.toUpperCase()} ${path}`
      const [payload, rows] = open[route] ?? expect.fail(`${route} is not in the list of this test`)
      const before = await countRows(app)
      const { statusCode } = await app.inject({
        method: method as 'post',
        url: path,
        ...(payload && { payload }),
      })
      expect(statusCode, route).toBeLessThan(429)
      expect(statusCode, route).not.toBe(422)
      const after = await countRows(app)
      const added = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)])
      written[route] = Object.fromEntries(added.filter(([, count]) => count !== 0))
      expected[route] = rows
    }
  expect(written).toEqual(expected)
})
