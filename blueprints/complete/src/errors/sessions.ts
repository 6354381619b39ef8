import type { Problems } from './types.ts'

/** Errors of refresh tokens and of tokens that are emailed. */
export const sessions = {
  invalid_refresh_token: {
    status: 401,
    title: 'Invalid refresh token',
    challenge: 'Bearer error="invalid_token"',
    event: 'refresh.failed',
  },
  invalid_or_expired_token: { status: 400, title: 'Invalid or expired token', event: 'email_token.refused' },
  user_not_verified: { status: 403, title: 'User not verified', event: 'access.not_verified' },
} as const satisfies Problems
