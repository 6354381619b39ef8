import type { Problems } from './types.ts'

/** Errors of the guard for superusers. */
export const superusers = {
  forbidden: { status: 403, title: 'Forbidden', event: 'access.forbidden' },
} as const satisfies Problems
