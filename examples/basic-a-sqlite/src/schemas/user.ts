import { z } from 'zod'
import type { Config } from '../config.ts'
import { examplePassword, meets, normalizePassword, passwordRules } from '../passwords/rules.ts'
import { isUsername, maxNameLength, normalizeEmail, withoutSpaces } from '../users/names.ts'
import type { User } from '../users/users.ts'
import { text } from './text.ts'

export const username = text(maxNameLength)
  // Before the transform: Zod leaves examples of its result out of requests.
  .meta({ examples: ['alice'] })
  .transform(withoutSpaces)
  .refine(isUsername, {
    error: 'Must be 3 to 32 of A-Z a-z 0-9 . _ - and begin and end with a letter or digit',
    params: { code: 'invalid_username' },
  })

/** Normalized by users/names.ts. */
export const email = text(maxNameLength)
  .meta({ examples: ['alice@example.com'], format: 'email' })
  .transform((value, context) => {
    const normalized = normalizeEmail(withoutSpaces(value))
    if (normalized !== undefined) return normalized
    context.addIssue({
      code: 'custom',
      message: 'Must be an email address',
      params: { code: 'invalid_email' },
    })
    return z.NEVER
  })

/** A user as returned to clients. */
export const userResponse = z
  .object({
    id: z.int(),
    email: z.string(),
    username: z.string(),
    is_active: z.boolean(),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'UserResponse',
    examples: [
      {
        id: 1,
        email: 'alice@example.com',
        username: 'alice',
        is_active: true,
        created_at: '2026-01-01T12:00:00.000Z',
      },
    ],
  })

export const toUserResponse = (user: User): z.output<typeof userResponse> => ({
  id: user.id,
  email: user.email,
  username: user.username,
  is_active: user.isActive,
  created_at: user.createdAt.toISOString(),
})

export const tokenResponse = z
  .object({
    access_token: z.string().meta({ examples: ['eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.…'] }),
    token_type: z.literal('bearer'),
    expires_in: z.int().meta({ description: 'Lifetime of the access token in seconds', examples: [1800] }),
  })
  .meta({ id: 'TokenResponse' })

/** An existing password. The rules for new passwords do not apply: it may have been set under other rules. */
export const givenPassword = (settings: Config['credentials']) =>
  text().meta({ examples: [examplePassword(settings)] })

/** A new password. Every rule that it breaks becomes one entry in `errors` of the response. */
export function newPassword(settings: Config['credentials']) {
  const rules = passwordRules(settings)
  return text()
    .superRefine((password, context) => {
      const normalized = normalizePassword(password)
      for (const rule of rules) {
        if (meets(normalized, rule)) continue
        const { code, message } = rule
        context.addIssue({ code: 'custom', message, params: { code, problem: 'weak_password' } })
      }
    })
    .meta({ examples: [examplePassword(settings)] })
}
