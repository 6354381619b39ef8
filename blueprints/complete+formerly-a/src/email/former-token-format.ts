import { createHash } from 'node:crypto'
import type { HashWithKeys } from '../sessions/keys.ts'

/** Hash of a link token from profile A. Plain SHA-256 is enough for 256 random bits. */
export const formerEmailTokenHashes: HashWithKeys = (text) => [
  createHash('sha256').update(text).digest('hex'),
]
