import type { Problems } from './api-error.ts'

/** Errors of cookies. */
export const cookies = {
  cross_site_request: {
    status: 403,
    title: 'Cross-site request',
    event: 'cookie.cross_site',
  },
} as const satisfies Problems
