import type { Addition } from '../context.ts'
import { identity } from '../factors/identity.ts'

/** A thief at a provider that does not check addresses would have their account verified by its owner. */
export const oidc: Addition = (ctx) => {
  ctx.verifiesLoggedIn = async (db, userId) => (await identity.count(db, userId)) > 0
}
