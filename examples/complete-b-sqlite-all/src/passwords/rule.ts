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

/** A rule for new passwords. */
export interface PasswordRule {
  code: `password_${string}`
  message: string
  /** Whether a password in NFC meets the rule. */
  holds(password: string): boolean
  /** The rule as data, for checks while the user types: a password that matches meets the rule. */
  pattern?: RegExp
  /** The rule as data if a pattern cannot express it: the maximum length in bytes of UTF-8. */
  maxBytes?: number
}

/** A rule with a pattern. The flag u counts code points: '👍' is one (NIST SP 800-63B-4, 3.1.1.2). */
export const matching = (code: PasswordRule['code'], message: string, pattern: RegExp): PasswordRule => ({
  code,
  message,
  pattern,
  holds: (password) => pattern.test(password),
})

export const minLength = (length: number): PasswordRule =>
  matching(
    'password_too_short',
    `Password must be at least ${length} characters`,
    new RegExp(`^.{${length},}$`, 'su'),
  )

export const uppercase = matching(
  'password_no_uppercase',
  'Password must contain uppercase letter',
  /\p{Lu}/u,
)

export const lowercase = matching(
  'password_no_lowercase',
  'Password must contain lowercase letter',
  /\p{Ll}/u,
)

export const digit = matching('password_no_digit', 'Password must contain digit', /\p{Nd}/u)
