import type { Problems } from './api-error.ts'

/** Errors of the guard for service clients. */
export const serviceClients = {
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    challenge: 'Bearer error="insufficient_scope"',
    event: 'client.scope_missing',
  },
} as const satisfies Problems
