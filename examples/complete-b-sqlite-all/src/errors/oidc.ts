import type { Problems } from './api-error.ts'

/** Errors of sign-in with providers. */
export const oidc = {
  provider_unavailable: { status: 503, title: 'Provider unavailable' },
  already_linked: { status: 409, title: 'Already linked', event: 'identity.refused' },
} as const satisfies Problems
