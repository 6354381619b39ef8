import type { AddressLimit } from '../address-limit.ts'
import type { Credentials } from './credentials.ts'
import type { LoginFailures } from './login-failures.ts'
import { canonicalLogin } from './names.ts'
import type { User } from './users.ts'

export interface PasswordGuess {
  /** The user whose password it should be; undefined where nobody has the name. */
  user: User | undefined
  /** What the client called the user. */
  login: string
  password: string
  /** Address of the client. */
  address: string
}

/** Resolves to the user if the password is right and the user active, otherwise to undefined. */
export type PasswordCheck = (guess: PasswordGuess) => Promise<User | undefined>

/**
 * The only way to a password: every guess counts, by whichever endpoint it comes. Unknown, inactive and mistaken users
 * take the same steps and the same time: a difference would tell who has an account.
 */
export function createPasswordCheck(
  credentials: Credentials,
  limits: { byAccount: LoginFailures; byAddress: AddressLimit } | undefined,
): PasswordCheck {
  /** @returns what takes the count back */
  async function countGuess({ user, login, address }: PasswordGuess): Promise<() => Promise<void>> {
    if (!limits) return async () => {}
    const { byAccount, byAddress } = limits
    const key = await byAccount.take(user?.id ?? canonicalLogin(login), address)
    try {
      await byAddress.take(address)
    } catch (error) {
      await byAccount.giveBack(key)
      throw error
    }
    return async () => {
      await byAccount.giveBack(key)
      await byAddress.giveBack(address)
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
