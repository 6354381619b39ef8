import type { Problems } from './api-error.ts'

/** Errors of the list of common passwords. */
export const commonPasswords = {
  password_too_common: {
    status: 422,
    title: 'Password is too common',
    failed: { field: 'password', code: 'password_too_common', message: 'Password is too common' },
  },
} as const satisfies Problems
