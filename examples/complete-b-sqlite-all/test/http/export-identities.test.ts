import { expect, test } from 'vitest'
import { identities } from '../../src/db/schema/identities.ts'
import { deleteMe, getExport } from '../support/account-data.ts'
import { getMe } from '../support/accounts.ts'
import { appWithProvider, registerLinked, signedIn, visit } from '../support/oidc.ts'

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

test('accounts at providers are deleted with the user, and then sign in somebody new', async () => {
  const { app, provider } = await appWithProvider()
  const { id, accessToken } = await registerLinked(app, provider)
  expect((await deleteMe(app, accessToken)).statusCode).toBe(204)
  expect(await app.db.read.$count(identities)).toBe(0)
  expect((await getMe(app, await signedIn(app, provider))).json().id).not.toBe(id)
})
