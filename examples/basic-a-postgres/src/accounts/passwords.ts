import { hash } from '@node-rs/bcrypt'
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
      maxBytes: bcryptMaxBytes,
      holds: isHashable,
    },
  ]
}

/** bcrypt would cut a longer password off without a word: it is refused instead. */
export const isHashable = (password: string): boolean => Buffer.byteLength(password) <= bcryptMaxBytes

/** A bcrypt hash of a password in NFC. */
export async function hashPassword(password: string, settings: Settings): Promise<string> {
  if (!isHashable(password)) throw new RangeError('A password over 72 bytes reached bcrypt unchecked')
  return hash(password, settings.bcryptCost)
}

/** Whether a stored hash is what `hashPassword` would make today, or stronger. */
export function isCurrentHash(storedHash: string, settings: Settings): boolean {
  const [, cost] = /^\$2[aby]\$(\d\d)\$/.exec(storedHash) ?? []
  return Number(cost) >= settings.bcryptCost
}
