import { attempts } from './schema/attempts.ts'
import { emailChanges } from './schema/email-changes.ts'
import { mailRequests } from './schema/mail-requests.ts'
import { outbox } from './schema/outbox.ts'
import { retiredNames } from './schema/retired-names.ts'
import { tokens } from './schema/tokens.ts'
import { users } from './schema/users.ts'

/** The tables that /health/ready checks. */
export const probe = [tokens, users, attempts, outbox, mailRequests, emailChanges, retiredNames] as const
