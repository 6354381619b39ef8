/** A rule for new passwords. `code` starts with `password_`. */
export interface PasswordRule {
  code: `password_${string}`
  message: string
  /** Whether a password, in NFC, obeys the rule. */
  holds(password: string): boolean
}

/** Length in code points: '👍' is one character (NIST SP 800-63B-4 section 3.1.1.2). */
export const lengthOf = (password: string): number => [...password].length

export const minLength = (length: number): PasswordRule => ({
  code: 'password_too_short',
  message: `Password must be at least ${length} characters`,
  holds: (password) => lengthOf(password) >= length,
})

export const uppercase: PasswordRule = {
  code: 'password_no_uppercase',
  message: 'Password must contain uppercase letter',
  holds: (password) => /\p{Lu}/u.test(password),
}

export const lowercase: PasswordRule = {
  code: 'password_no_lowercase',
  message: 'Password must contain lowercase letter',
  holds: (password) => /\p{Ll}/u.test(password),
}

export const digit: PasswordRule = {
  code: 'password_no_digit',
  message: 'Password must contain digit',
  holds: (password) => /\p{Nd}/u.test(password),
}
