import { z } from 'zod'
import { isUsableHash } from '../passwords/verify-hash.ts'
import type { ImportedUser } from '../users/import.ts'
import { text } from './text.ts'
import { email, username } from './user.ts'

/** Verified as it is at the next login, which replaces it if it is of another algorithm or weaker than a new one. */
const hashedPassword = text(512).refine(isUsableHash, {
  error: 'Must be an argon2 hash (memory up to 1 GiB, t and p up to 16) or a bcrypt hash (cost 4 to 16)',
})

/**
 * A line of a file to import. There is no field for rights: someone who can write the file, or was an administrator
 * of another service, would become a superuser.
 * @param now milliseconds since 1970
 */
export const importedUser = (now: number) =>
  z
    .strictObject({
      username,
      email,
      hashed_password: hashedPassword,
      is_active: z.boolean().default(true),
      is_verified: z.boolean().default(false),
      created_at: z.iso
        .datetime({ offset: true })
        // PostgreSQL has no year 0.
        .refine((text) => Date.parse(text) >= 0 && Date.parse(text) <= now, {
          error: 'Must be between 1970 and now',
        })
        .optional(),
    })
    .transform(
      (line): ImportedUser => ({
        username: line.username,
        email: line.email,
        hashedPassword: line.hashed_password,
        isActive: line.is_active,
        isVerified: line.is_verified,
        createdAt: line.created_at === undefined ? undefined : new Date(line.created_at),
      }),
    )
