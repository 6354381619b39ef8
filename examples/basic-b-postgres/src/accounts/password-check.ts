import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type AddressLimit, clientOf } from '../limits/address-limit.ts'
import type { GiveBack } from '../limits/counts.ts'
import { createLoginAttempts } from './attempts.ts'
import type { Credentials } from './credentials.ts'
import { canonicalLogin } from './names.ts'
import type { User } from './users.ts'

interface PasswordGuess {
  /** The user whose password it should be; undefined where nobody has the name. */
  user: User | undefined
  /** What the client called the user. */
  login: string
  password: string
  /** Address of the client. */
  address: string
}

export interface PasswordCheckDependencies {
  /** Failed logins by address alone. */
  addressLimit: AddressLimit
  config: Config
  credentials: Credentials
  db: Database
  now: () => number
}

/** Resolves to the user if the password is right and the user active, otherwise to undefined. */
export type PasswordCheck = (guess: PasswordGuess) => Promise<User | undefined>

/**
 * The only way to a password: every guess counts, by whichever endpoint it comes. Unknown, inactive and mistaken users
 * take the same steps and the same time: a difference would tell who has an account.
 */
export function createPasswordCheck({
  addressLimit,
  config,
  credentials,
  db,
  now,
}: PasswordCheckDependencies): PasswordCheck {
  const { enabled, loginFailures } = config.rateLimits
  const byAccount = createLoginAttempts(db, now, loginFailures)

  /** @returns what takes the count back */
  async function countGuess({ user, login, address }: PasswordGuess): Promise<() => Promise<void>> {
    if (!enabled) return async () => {}
    const key = await byAccount.take(user?.id ?? canonicalLogin(login), clientOf(address))
    let giveBack: GiveBack
    try {
      giveBack = await addressLimit.take(address)
    } catch (error) {
      await byAccount.giveBack(key)
      throw error
    }
    return async () => {
      await byAccount.giveBack(key)
      await giveBack()
    }
  }

  return async (guess) => {
    const takeBack = await countGuess(guess)
    let isRight: boolean
    try {
      isRight = await credentials.verify(guess.password, guess.user?.hashedPassword)
    } catch (error) {
      await takeBack()
      throw error
    }
    if (!isRight || !guess.user?.isActive) return undefined
    await takeBack()
    return guess.user
  }
}
