import { hash } from '@node-rs/bcrypt'
import type { Config } from '../config.ts'
import { digit, lowercase, minLength, type PasswordRule, uppercase } from './rule.ts'
import { bcryptMaxBytes } from './verify-hash.ts'

type Settings = Config['credentials']

/** The rules for new passwords: by default 8 characters with an uppercase letter, a lowercase letter and a digit. */
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

/** bcrypt silently truncates longer passwords, so they are rejected. */
export const isHashable = (password: string): boolean => Buffer.byteLength(password) <= bcryptMaxBytes

/** Hashes a password in NFC with bcrypt. */
export async function hashPassword(password: string, settings: Settings): Promise<string> {
  if (!isHashable(password)) throw new RangeError('A password over 72 bytes reached bcrypt unchecked')
  return hash(password, settings.bcryptCost)
}

/** What to verify for a name that does not exist: a hash without a known password that takes as long as those of these settings. */
export const dummyHash = ({ bcryptCost }: Settings): string =>
  `$2y$${String(bcryptCost).padStart(2, '0')}$punjIzmejvPvlP7nBX28y.Mmfs.m3oyAUXUuG.jp6BO2u.jS0ek16`

/** Whether a stored hash is at least as strong as a new one from `hashPassword`. */
export function isCurrentHash(storedHash: string, settings: Settings): boolean {
  const [, cost] = /^\$2[aby]\$(\d\d)\$/.exec(storedHash) ?? []
  return Number(cost) >= settings.bcryptCost
}
