import { hash, parseOptions } from '@node-rs/argon2'
import type { Config } from '../config.ts'
import { digit, lowercase, matching, minLength, type PasswordRule, uppercase } from './rule.ts'

type Settings = Config['credentials']

const special = matching('password_no_special', 'Password must contain special character', /[\p{P}\p{S}]/u)

/** Limits the work of one request. */
const maxLength = matching('password_too_long', 'Password must be at most 256 characters', /^.{0,256}$/su)

/** The rules for new passwords: 8 characters with uppercase, lowercase, digit and special character. */
export function passwordRules(settings: Settings): PasswordRule[] {
  return [minLength(settings.minLength), uppercase, lowercase, digit, special, maxLength]
}

export const isHashable = (password: string): boolean => maxLength.holds(password)

/** Hashes a password in NFC with argon2id, the default of the library. */
export const hashPassword = (password: string, settings: Settings): Promise<string> =>
  hash(password, settings.argon2)

/** What to verify for a name that does not exist: a hash without a known password that takes as long as those of these settings. */
export const dummyHash = ({ argon2: { memoryCost, timeCost, parallelism } }: Settings): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$dAof67cQvp1gOUDTxhU92A$Xd0O8vEZhzlLB+kMBX5JdSFAXZO/rZsw01XvfN6RbhE`

/** Whether a stored hash is at least as strong as a new one from `hashPassword`. */
export function isCurrentHash(storedHash: string, { argon2 }: Settings): boolean {
  if (!storedHash.startsWith('$argon2id$')) return false
  const { memoryCost, timeCost } = parseOptions(storedHash)
  return memoryCost >= argon2.memoryCost && timeCost >= argon2.timeCost
}
