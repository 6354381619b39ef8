import type { Addition } from '../context.ts'
import { identity } from '../factors/identity.ts'
import { readProviders } from '../oidc/providers.ts'

/** Settings that lack something stop the start. A provider that cannot be reached does not. */
export const oidc: Addition = (ctx) => {
  readProviders(ctx.config)
  // A thief at a provider that does not check addresses would have their account verified by its owner.
  ctx.verifiesLoggedIn = async (db, userId) => (await identity.count(db, userId)) > 0
}
