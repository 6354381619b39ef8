import { hash, parseOptions } from '@node-rs/bcrypt'
import type { Config } from '../config.ts'
import { digit, lowercase, minLength, type PasswordRule, uppercase } from './password-rule.ts'
import { bcryptMaxBytes } from './verify-hash.ts'

type Settings = Config['credentials']

/** What a new password must be: by default 8 characters with an uppercase letter, a lowercase letter and a digit. */
export function passwordRules(settings: Settings): PasswordRule[] {
  return [
    minLength(settings.minLength),
    ...(settings.composition ? [uppercase, lowercase, digit] : []),
    {
      code: 'password_too_long',
      message: `Password must be at most ${bcryptMaxBytes} bytes`,
      holds: isHashable,
    },
  ]
}

/** bcrypt would cut a longer password off without a word: it is refused instead. */
export const isHashable = (password: string): boolean => Buffer.byteLength(password) <= bcryptMaxBytes

/** A bcrypt hash of a password in NFC. */
export const hashPassword = (password: string, settings: Settings): Promise<string> =>
  hash(password, { cost: settings.bcryptCost, rejectLongPasswords: true })

/** Whether a stored hash is what `hashPassword` would make today, or stronger. */
export const isCurrentHash = (storedHash: string, settings: Settings): boolean =>
  storedHash.startsWith('$2') && parseOptions(storedHash).cost >= settings.bcryptCost
