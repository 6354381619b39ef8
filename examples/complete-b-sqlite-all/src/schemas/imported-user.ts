import { z } from 'zod'
import type { Config } from '../config.ts'
import type { ImportedUser } from '../import/import-users.ts'
import { bounds, toStoredHash } from '../import/stored-hash.ts'
import { unusablePassword } from '../passwords/hashes.ts'
import { madeUsername } from '../users/names.ts'
import { text } from './text.ts'
import { email, username } from './user.ts'

/** How the hashes of known kinds begin. */
const knownKind =
  /^(\$2|\$?argon2|bcrypt|\$?pbkdf2|\$?scrypt|\$firebase-scrypt|\$fbscrypt|\$wp|\$phpass|\$[PH]\$)/

/** As it is stored. It is verified at the next login, which replaces it by one of this service. */
const hashedPassword = text(512).transform((value, context) => {
  const hash = toStoredHash(value)
  if (hash !== undefined) return hash
  const message = knownKind.test(value)
    ? `Damaged, or takes too long to verify: ${bounds}`
    : 'Not a hash of a known kind'
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/** What a line may contain, and how a file is read. */
interface LineOptions {
  config: Config
  /** Milliseconds since 1970. */
  now: number
  /** Lines of our own format have no other fields, so that a misspelled one is noticed. */
  isOwnFormat: boolean
  /** Whether users without a password are invited. */
  isInviting: boolean
}

/**
 * A line of a file to import. There is no field for rights: someone who can write the file, or was an administrator
 * of another service, would become a superuser.
 */
export const importedUser = ({ config, now, isOwnFormat, isInviting }: LineOptions) =>
  (isOwnFormat ? z.strictObject : z.object)({
    external_id: text(255).optional(),
    // Who had an address or a space in their name there logs in by email.
    username: config.accounts.usernameRequired ? username.optional() : username.optional().catch(undefined),
    email,
    hashed_password: hashedPassword.nullish(),
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
    .refine((line) => line.username !== undefined || !config.accounts.usernameRequired, {
      path: ['username'],
      error: 'Missing, and USERNAME_REQUIRED is not false',
    })
    .transform(
      (line): ImportedUser => ({
        username: line.username ?? madeUsername(),
        email: line.email,
        hashedPassword: line.hashed_password ?? unusablePassword,
        isActive: line.is_active,
        isVerified: line.is_verified,
        createdAt: line.created_at === undefined ? undefined : new Date(line.created_at),
        origin: {
          externalId: line.external_id,
          isUsernameMade: line.username === undefined,
          isInvited: isInviting && line.is_active && line.hashed_password == null,
        },
      }),
    )
