import { randomBytes } from 'node:crypto'
import { hashLinkToken } from './email-token-hashes.ts'
import type { KeyRing } from './keys.ts'

/** A token for a link: 256 random bits in base64url. */
export const createEmailToken = (): string => randomBytes(32).toString('base64url')

/** What the database keeps of a new token. */
export const hashEmailToken = (text: string, _keys: KeyRing): string => hashLinkToken(text)
