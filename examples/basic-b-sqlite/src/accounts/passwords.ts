import { hash, parseOptions } from '@node-rs/argon2'
import type { Config } from '../config.ts'
import { digit, lengthOf, lowercase, minLength, type PasswordRule, uppercase } from './password-rule.ts'

type Settings = Config['credentials']

const maxLength = 256

const special: PasswordRule = {
  code: 'password_no_special',
  message: 'Password must contain special character',
  holds: (password) => /[\p{P}\p{S}]/u.test(password),
}

/** What a new password must be: 8 characters with an uppercase and a lowercase letter, a digit and a special character. */
export function passwordRules(settings: Settings): PasswordRule[] {
  return [
    minLength(settings.minLength),
    uppercase,
    lowercase,
    digit,
    special,
    {
      code: 'password_too_long',
      message: `Password must be at most ${maxLength} characters`,
      holds: isHashable,
    },
  ]
}

/** The bound keeps the work of one request small. */
export const isHashable = (password: string): boolean => lengthOf(password) <= maxLength

/** An argon2id hash (the library's default kind) of a password in NFC. */
export const hashPassword = (password: string, settings: Settings): Promise<string> =>
  hash(password, settings.argon2)

/** Whether a stored hash is what `hashPassword` would make today, or stronger. */
export function isCurrentHash(storedHash: string, { argon2 }: Settings): boolean {
  if (!storedHash.startsWith('$argon2id$')) return false
  const { memoryCost, timeCost } = parseOptions(storedHash)
  return memoryCost >= argon2.memoryCost && timeCost >= argon2.timeCost
}
