import { expect, test } from 'vitest'
import { identities } from '../../src/db/schema/identities.ts'
import { users } from '../../src/db/schema/users.ts'
import { deleteMe, getExport } from '../support/account-data.ts'
import { appWithProvider, signedIn, visit } from '../support/oidc.ts'

test('the export lists the accounts of the user alone, and no code', async () => {
  const { app, provider } = await appWithProvider()
  const accessToken = await signedIn(app, provider)
  const { code } = await visit(app, provider)
  provider.account = { sub: 'of-bob', email: 'bob@example.com' }
  await signedIn(app, provider)
  const response = await getExport(app, accessToken)
  expect(response.json().identities).toEqual([
    {
      provider: 'acme',
      issuer: provider.origin,
      subject: 'at-provider-1',
      email: 'olga@example.com',
      created_at: expect.any(String),
    },
  ])
  for (const secret of [code, 'of-bob', ...provider.issued]) expect(response.body).not.toContain(secret)
})

test('accounts at providers are deleted with the user, who may come back as a new one', async () => {
  const { app, provider } = await appWithProvider()
  expect((await deleteMe(app, await signedIn(app, provider))).statusCode).toBe(204)
  expect(await app.db.read.$count(identities)).toBe(0)
  await signedIn(app, provider)
  const rows = await app.db.read.select({ username: users.username }).from(users)
  // The name of before is nobody's any more.
  expect(rows).toEqual([{ username: expect.stringMatching(/^olga-/) }])
})
