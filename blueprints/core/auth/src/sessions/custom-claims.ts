import type { User } from '../users/users.ts'

/**
 * Claims of your own in access tokens: `role: (user) => user.role`. They are for readers of the token, and as old as it is.
 * Names that are registered (RFC 7519 section 4.1) or ours stop the start.
 */
export const customClaims: Record<string, (user: User) => unknown> = {}
