import { createHash, randomBytes } from 'node:crypto'
import type { HashWithKeys } from '../keys.ts'

/** Creates a token for a link: 256 random bits in base64url. */
export const createEmailToken = (): string => randomBytes(32).toString('base64url')

/** SHA-256 without a key is enough for 256 random bits: they cannot be guessed offline. */
export const emailTokenHashes: HashWithKeys = (text) => [createHash('sha256').update(text).digest('hex')]
