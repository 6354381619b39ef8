import { identities } from '../../../src/db/schema/identities.ts'
import { signIn } from '../oidc.ts'
import { settingsOf, startProvider } from '../provider.ts'
import type { Way } from '../ways.ts'

// The test files of a worker share this module: it ends with the worker.
const provider = await startProvider(() => {})

export default {
  name: 'a provider',
  env: settingsOf(provider),
  async begin(app, id) {
    const subject = `user-${id}`
    provider.account = { sub: subject }
    const row = {
      userId: id,
      issuer: provider.origin,
      subject,
      provider: 'acme',
      createdAt: new Date(app.now()),
    }
    await app.db.transaction((tx) => tx.insert(identities).values(row).onConflictDoNothing())
    return signIn(app, provider)
  },
  amr: [],
  refusal: 'invalid_credentials',
  admitsUnverified: true,
} satisfies Way
