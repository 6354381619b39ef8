import type { Config } from '../config.ts'
import type { User } from '../users/users.ts'

type Settings = Config['credentials']

/** In UTF-16 code units. Much more than the rules allow, also before normalizing joins characters. */
const maxNormalizedLength = 1024

/**
 * The form in which a password is checked and hashed: NFC, because the same letter typed on two systems can arrive as
 * different code points. Sorting combining marks is quadratic: 16 KB of them would stop the service for 50 ms.
 */
export const normalizePassword = (password: string): string =>
  password.length > maxNormalizedLength ? password : password.normalize('NFC')

/** A password for examples: it meets the rules, whatever PASSWORD_MIN_LENGTH is. */
export const examplePassword = ({ minLength }: { minLength: number }): string =>
  'Correct-Horse-7'.padEnd(minLength, '-Correct-Horse-7')

/** A rule for new passwords, as data. */
export interface PasswordRule {
  code: `password_${string}`
  message: string
  /** What a password in NFC matches. The flag u counts code points: '👍' is one (NIST SP 800-63B-4, 3.1.1.2). */
  pattern?: RegExp
  /** Maximum length in bytes of UTF-8, which no pattern can express. */
  maxBytes?: number
}

/** Whether a password in NFC meets a rule. */
export const meets = (password: string, { pattern, maxBytes }: PasswordRule): boolean =>
  (pattern === undefined || pattern.test(password)) &&
  (maxBytes === undefined || Buffer.byteLength(password) <= maxBytes)

const minLength = (length: number): PasswordRule => ({
  code: 'password_too_short',
  message: `Password must be at least ${length} characters`,
  pattern: new RegExp(`^.{${length},}$`, 'su'),
})

const mustContain = (kind: string, name: string, pattern: RegExp): PasswordRule => ({
  code: `password_no_${kind}`,
  message: `Password must contain ${name}`,
  pattern,
})

const uppercase = mustContain('uppercase', 'uppercase letter', /\p{Lu}/u)
const lowercase = mustContain('lowercase', 'lowercase letter', /\p{Ll}/u)
const digit = mustContain('digit', 'digit', /\p{Nd}/u)

const special = mustContain('special', 'special character', /[\p{P}\p{S}]/u)

/** Limits the work of one request. */
const maxLength: PasswordRule = {
  code: 'password_too_long',
  message: 'Password must be at most 256 characters',
  pattern: /^.{0,256}$/su,
}

/** The rules for new passwords: by default 8 characters with uppercase, lowercase, digit and special character. */
export function passwordRules(settings: Settings): PasswordRule[] {
  return [
    minLength(settings.minLength),
    ...(settings.composition ? [uppercase, lowercase, digit, special] : []),
    maxLength,
  ]
}

/** Whether a password in NFC can be hashed. */
export const isHashable = (password: string): boolean => meets(password, maxLength)

/** A new password, and the user who will have it. */
export interface ProposedPassword {
  password: string
  user: Pick<User, 'username' | 'email'>
  /** The field of the request that contains the password. */
  field: 'password' | 'new_password'
}
