import type { Problems } from './api-error.ts'

/** Errors of the deletion of an account. */
export const accountData = {
  email_change_can_be_undone: {
    status: 409,
    title: 'Email change can be undone',
    event: 'user.not_deleted',
  },
} as const satisfies Problems
