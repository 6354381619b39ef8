import { createHash, createHmac } from 'node:crypto'
import type { KeyRing } from './keys.ts'

// Both forms of a mailed token: what was mailed before the service changed its profile can still be used.

/** What the database keeps of the token of a link. Plain SHA-256: nobody searches through 256 bits. */
export const hashLinkToken = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What the database keeps of a code. HMAC: whoever reads a dump of the database could search through 80 bits. */
export const hashCode = (text: string, key: Buffer): string =>
  createHmac('sha256', key).update(canonical(text)).digest('hex')

/** The hashes that a token from a client may be stored under: as a link's, and as a code, one for each key. */
export const emailTokenHashes = (text: string, keys: KeyRing): string[] => [
  hashLinkToken(text),
  ...keys.map((key) => hashCode(text, key)),
]

/** A code as people type it: any case, with or without spaces and hyphens, O for 0, I and L for 1. ASCII only. */
const canonical = (text: string): string =>
  text
    .replaceAll(/[ -]/g, '')
    .replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
