import type { Database, Transaction } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import { isFamiliar, rememberClient } from '../limits/familiar-clients.ts'
import type { Credentials } from '../passwords/credentials.ts'
import { lockUser, type User, updateUser } from '../users/users.ts'

interface LoginDependencies {
  credentials: Credentials
  db: Database
  now: () => number
  /** Called in the transaction of the login, after the password was verified. Throws if the user may not log in. */
  admit?: (user: User) => void
  /** Called in the transaction of the login if the client is not familiar. */
  onNewClient?: (tx: Transaction, user: User, address: string) => Promise<void>
}

export type Login = ReturnType<typeof createLogin>

export function createLogin({ admit, credentials, db, now, onNewClient }: LoginDependencies) {
  /**
   * Grants access after the password was verified, and replaces a weak hash. Fails if the password was changed or the
   * user was deactivated since then: a stolen password must not open a session just after it was changed.
   * @param verified the user's row at the time the password was verified
   * @param grant issues the tokens
   * @throws ApiError invalid_credentials, unavailable, too_many_requests, and what `admit` throws
   */
  return async function completeLogin<Grant>(
    verified: User,
    given: { password: string; address: string },
    grant: (user: User, tx: Transaction) => Grant,
  ): Promise<Awaited<Grant>> {
    const { password, address } = given
    const newHash = credentials.needsRehash(password, verified.hashedPassword)
      ? await credentials.hash(password, address)
      : undefined
    const outcome = await db.transaction(async (tx) => {
      const user = await lockUser(tx, verified.id)
      if (!user?.isActive) throw new ApiError('invalid_credentials')
      if (user.hashedPassword !== verified.hashedPassword) return { changed: user }
      admit?.(user)
      if (newHash !== undefined) await updateUser(tx, user.id, { hashedPassword: newHash })
      const wasFamiliar = await isFamiliar(tx, user.id, address, now())
      await rememberClient(tx, user.id, address, now())
      if (!wasFamiliar) await onNewClient?.(tx, user, address)
      return { granted: await grant(user, tx) }
    })
    if (outcome.changed === undefined) return outcome.granted
    // A concurrent login may have rehashed the same password.
    const { changed } = outcome
    if (!(await credentials.verify(password, changed.hashedPassword, address)))
      throw new ApiError('invalid_credentials')
    return completeLogin(changed, given, grant)
  }
}
