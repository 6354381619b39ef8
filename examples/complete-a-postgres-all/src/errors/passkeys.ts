import type { Problems } from './api-error.ts'

/** Errors of passkeys. */
export const passkeys = {
  last_sign_in_method: { status: 409, title: 'Last way to log in', event: 'passkey.kept' },
} as const satisfies Problems
