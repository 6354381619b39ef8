import { createHash } from 'node:crypto'
import type { HashesOf } from '../keys.ts'

/** Hash of a link token from profile A. Plain SHA-256 is enough for 256 random bits. */
export const formerEmailTokenHashes: HashesOf = (text) => [createHash('sha256').update(text).digest('hex')]
