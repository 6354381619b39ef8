import type { Problems } from './api-error.ts'

/** Errors of ways to log in that users add and remove. */
export const waysIn = {
  last_sign_in_method: { status: 409, title: 'Last way to log in', event: 'way_in.kept' },
} as const satisfies Problems
