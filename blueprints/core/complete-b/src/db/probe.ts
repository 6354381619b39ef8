import { attempts } from './schema/attempts.ts'
import { emailChanges } from './schema/email-changes.ts'
import { mailRequests } from './schema/mail-requests.ts'
import { outbox } from './schema/outbox.ts'
import { refreshTokens } from './schema/refresh-tokens.ts'
import { retiredNames } from './schema/retired-names.ts'
import { users } from './schema/users.ts'
import { verificationCodes } from './schema/verification-codes.ts'

/** The tables that /health/ready checks. */
export const probe = [
  refreshTokens,
  verificationCodes,
  users,
  attempts,
  outbox,
  mailRequests,
  emailChanges,
  retiredNames,
] as const
