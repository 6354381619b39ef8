import { hash, parseOptions } from '@node-rs/argon2'
import type { Config } from '../config.ts'
import { digit, lowercase, matching, minLength, type PasswordRule, uppercase } from './password-rule.ts'

type Settings = Config['credentials']

const special = matching('password_no_special', 'Password must contain special character', /[\p{P}\p{S}]/u)

/** The bound keeps the work of one request small. */
const longest = matching('password_too_long', 'Password must be at most 256 characters', /^.{0,256}$/su)

/** What a new password must be: 8 characters with an uppercase and a lowercase letter, a digit and a special character. */
export function passwordRules(settings: Settings): PasswordRule[] {
  return [minLength(settings.minLength), uppercase, lowercase, digit, special, longest]
}

export const isHashable = (password: string): boolean => longest.holds(password)

/** An argon2id hash (the library's default kind) of a password in NFC. */
export const hashPassword = (password: string, settings: Settings): Promise<string> =>
  hash(password, settings.argon2)

/** Whether a stored hash is what `hashPassword` would make today, or stronger. */
export function isCurrentHash(storedHash: string, { argon2 }: Settings): boolean {
  if (!storedHash.startsWith('$argon2id$')) return false
  const { memoryCost, timeCost } = parseOptions(storedHash)
  return memoryCost >= argon2.memoryCost && timeCost >= argon2.timeCost
}
