import { createHash, randomBytes } from 'node:crypto'
import type { KeyRing } from './keys.ts'

/** A token for a link: 256 random bits in base64url. */
export const createEmailToken = (): string => randomBytes(32).toString('base64url')

/** What the database keeps of a token. Plain SHA-256: nobody searches through 256 bits. */
export const hashEmailToken = (text: string, _keys: KeyRing): string =>
  createHash('sha256').update(text).digest('hex')

/** The hashes that a token from a client may be stored under. */
export const emailTokenHashes = (text: string, keys: KeyRing): string[] => [hashEmailToken(text, keys)]
