import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type AddressLimit, clientOf } from '../limits/address-limit.ts'
import { createLoginAttempts } from '../limits/attempts.ts'
import type { GiveBack } from '../limits/counts.ts'
import { canonicalLogin } from '../users/names.ts'
import type { User } from '../users/users.ts'
import type { Credentials } from './credentials.ts'

interface PasswordGuess {
  /** The user to log in; undefined if no user has this name. */
  user: User | undefined
  /** The username or email as the client sent it. */
  login: string
  password: string
  /** Address of the client. */
  address: string
}

export interface PasswordCheckDependencies {
  /** Limit on failed logins per address. */
  addressLimit: AddressLimit
  config: Config
  credentials: Credentials
  db: Database
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
  now,
}: PasswordCheckDependencies): PasswordCheck {
  const { enabled, loginFailures } = config.rateLimits
  const byAccount = createLoginAttempts(db, now, loginFailures)

  /** @returns a function that uncounts the guess */
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
