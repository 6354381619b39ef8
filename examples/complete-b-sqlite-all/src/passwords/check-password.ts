import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { AddressLimit } from '../limits/address-limit.ts'
import type { GiveBack } from '../limits/counts.ts'
import { createLoginLimit } from '../limits/login-limit.ts'
import { canonicalLogin } from '../users/names.ts'
import type { User } from '../users/users.ts'
import type { Credentials } from './credentials.ts'
import { isUsableHash, unusablePassword } from './verify-hash.ts'

interface PasswordGuess {
  /** The name as typed, or the username of a logged-in user. The guess counts for its canonical form. */
  name: string
  /** The user of that name, if there is one. */
  user: User | undefined
  password: string
  /** IP address of the client. */
  address: string
  /** The client has a session of the user. */
  isLoggedIn?: boolean
}

interface PasswordCheckDependencies {
  /** Limit on failed logins per address. */
  addressLimit: AddressLimit
  config: Config
  credentials: Credentials
  db: Database
  log: Record<'warn', (entry: object, message: string) => void>
  now: () => number
}

/** Resolves to the user if the password is right and the user is active, otherwise to undefined. */
export type PasswordCheck = (guess: PasswordGuess) => Promise<User | undefined>

/**
 * Checks a password. Every endpoint uses this function, so every guess is counted. Unknown users, inactive users and
 * wrong passwords take the same steps and the same time: a difference would reveal who has an account.
 */
export function createPasswordCheck({
  addressLimit,
  config,
  credentials,
  db,
  log,
  now,
}: PasswordCheckDependencies): PasswordCheck {
  const accountLimit = createLoginLimit(db, now, config.rateLimits)

  async function countGuess({ name, user, address, isLoggedIn }: PasswordGuess): Promise<GiveBack> {
    if (!config.rateLimits.enabled) return async () => {}
    const account = canonicalLogin(name)
    const giveBackToAccount = await accountLimit.take({ account, userId: user?.id, address, isLoggedIn })
    try {
      const giveBackToAddress = await addressLimit.take(address)
      return async () => {
        await giveBackToAccount()
        await giveBackToAddress()
      }
    } catch (error) {
      await giveBackToAccount()
      throw error
    }
  }

  return async (guess) => {
    const { user } = guess
    const giveBack = await countGuess(guess)
    const isDamaged = user?.hashedPassword !== unusablePassword && !isUsableHash(user?.hashedPassword ?? '')
    if (user && isDamaged) {
      log.warn({ event: 'password.unusable_hash', userId: user.id }, 'stored hash is damaged or too costly')
    }
    let isRight: boolean
    try {
      isRight = await credentials.verify(guess.password, user?.hashedPassword, guess.address)
    } catch (error) {
      await giveBack()
      throw error
    }
    if (!isRight || !user?.isActive) return undefined
    await giveBack()
    return user
  }
}
