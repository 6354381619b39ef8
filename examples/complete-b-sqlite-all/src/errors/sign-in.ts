import type { Problems } from './api-error.ts'

/** Errors of second factors. */
export const signIn = {
  mfa_required: {
    status: 401,
    title: 'Second factor required',
    challenge: 'Bearer',
    event: 'login.mfa_required',
  },
  invalid_mfa_token: {
    status: 401,
    title: 'Invalid MFA token',
    challenge: 'Bearer',
    event: 'mfa_token.refused',
  },
  wrong_mfa_code: {
    status: 401,
    title: 'Invalid code',
    code: 'invalid_code',
    challenge: 'Bearer',
    event: 'mfa.failed',
  },
  invalid_code: { status: 400, title: 'Invalid code', event: 'code.refused' },
  emailed_token_required: {
    status: 403,
    title: 'Emailed token required',
    event: 'emailed_token.required',
  },
  mfa_needed: { status: 403, title: 'Second factor needed', event: 'access.mfa_needed' },
} as const satisfies Problems
