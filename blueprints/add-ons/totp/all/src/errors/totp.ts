import type { Problems } from './api-error.ts'

/** Errors of authenticators. */
export const totp = {
  totp_already_on: { status: 409, title: 'Authenticator is already on', event: 'totp.already_on' },
} as const satisfies Problems
