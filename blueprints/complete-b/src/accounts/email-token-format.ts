import { randomInt } from 'node:crypto'
import { hashCode } from './email-token-hashes.ts'
import type { KeyRing } from './keys.ts'

/** Crockford's base32: no I, L, O and U, which people misread. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const codeLength = 16

/** A code to type: 80 random bits, in groups of four. */
export function createEmailToken(): string {
  const letters = Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length)))
  return letters.join('').replaceAll(/.{4}(?=.)/g, '$&-')
}

/** What the database keeps of a new code. */
export const hashEmailToken = (text: string, [key]: KeyRing): string => hashCode(text, key)
