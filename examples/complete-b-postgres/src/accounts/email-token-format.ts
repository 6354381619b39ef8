import { createHmac, randomInt } from 'node:crypto'
import type { KeyRing } from './keys.ts'

/** Crockford's base32: no I, L, O and U, which people misread. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const codeLength = 16

/** A code to type: 80 random bits, in groups of four. */
export function createEmailToken(): string {
  const letters = Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length)))
  return letters.join('').replaceAll(/.{4}(?=.)/g, '$&-')
}

/** What the database keeps of a code. */
export const hashEmailToken = (text: string, [key]: KeyRing): string => hmac(canonical(text), key)

/** The hashes that a code from a client may be stored under: one for each key. */
export const emailTokenHashes = (text: string, keys: KeyRing): string[] =>
  keys.map((key) => hmac(canonical(text), key))

/** As people type it: any case, with or without spaces and hyphens, O for 0, I and L for 1. ASCII only. */
const canonical = (text: string): string =>
  text
    .replaceAll(/[ -]/g, '')
    .replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')

const hmac = (text: string, key: Buffer): string => createHmac('sha256', key).update(text).digest('hex')
