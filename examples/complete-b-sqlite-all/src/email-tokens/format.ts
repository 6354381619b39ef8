import { createHmac, randomInt } from 'node:crypto'
import type { HashWithKeys } from '../keys.ts'

/** Crockford's base32: without I, L, O and U, which are easy to misread. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const codeLength = 16

/** Creates a code to type: 80 random bits, in groups of four characters. */
export function createEmailToken(): string {
  const letters = Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length)))
  return letters.join('').replaceAll(/.{4}(?=.)/g, '$&-')
}

/** HMAC with each key: a plain hash of 80 bits could be searched offline. */
export const emailTokenHashes: HashWithKeys = (text, [key, ...previousKeys]) => {
  const code = canonical(text)
  const hash = (key: Buffer) => createHmac('sha256', key).update(code).digest('hex')
  return [hash(key), ...previousKeys.map(hash)]
}

/** Normalizes a typed code: any case, with or without spaces and hyphens, O for 0, I and L for 1. ASCII only. */
const canonical = (text: string): string =>
  text
    .replaceAll(/[ -]/g, '')
    .replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
