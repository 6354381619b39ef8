import type { Problems } from './api-error.ts'

/** Errors of the administrators' routes. */
export const admin = {
  own_account: { status: 409, title: 'Own account', event: 'deactivation.refused' },
} as const satisfies Problems
