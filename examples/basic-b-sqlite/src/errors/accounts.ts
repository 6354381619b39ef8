import type { Problems } from './api-error.ts'

/** A challenge of WWW-Authenticate (RFC 6750 section 3). For reauthentication, RFC 9470 has another. */
const badToken = 'Bearer error="invalid_token"'

const tooShort = {
  field: 'password',
  code: 'password_too_short',
  message: 'Password must be at least 8 characters',
}

/** Errors of registration, login, tokens, guards and limits. */
export const accounts = {
  weak_password: { status: 422, failed: tooShort },
  registration_closed: { status: 403, title: 'Registration is closed', event: 'registration.refused' },
  already_registered: { status: 409, title: 'Email or username already registered', event: 'user.duplicate' },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    challenge: 'Bearer',
    event: 'login.failed',
  },
  wrong_current_password: {
    status: 403,
    title: 'Invalid credentials',
    code: 'invalid_credentials',
    event: 'reauthentication.failed',
  },
  not_authenticated: {
    status: 401,
    title: 'Not authenticated',
    challenge: 'Bearer',
    event: 'access_token.missing',
  },
  token_expired: { status: 401, title: 'Token expired', challenge: badToken, event: 'access_token.expired' },
  invalid_token: { status: 401, title: 'Invalid token', challenge: badToken, event: 'access_token.refused' },
  reauthentication_required: {
    status: 403,
    title: 'Re-authentication required',
    challenge: 'Bearer error="insufficient_user_authentication", max_age="600"',
    event: 'reauthentication.required',
  },
  too_many_requests: { status: 429, title: 'Too many requests', event: 'limit.reached' },
  forbidden: { status: 403, title: 'Forbidden', event: 'access.forbidden' },
} as const satisfies Problems
