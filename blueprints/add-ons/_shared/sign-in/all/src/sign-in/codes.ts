import { createHmac, randomInt } from 'node:crypto'
import type { HashWithKeys } from '../keys.ts'

/** Codes that people type, of 5 random bits a letter. */

/** Crockford's base32: without I, L, O and U, which are easy to misread. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** @param group a hyphen follows as many letters */
export function createCode(length: number, group: number): string {
  const letters = Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length)))
  return letters.map((letter, at) => (at > 0 && at % group === 0 ? `-${letter}` : letter)).join('')
}

/** HMAC with each key, of a code in any case, with or without spaces and hyphens, O for 0, I and L for 1. */
export const codeHashes: HashWithKeys = (text, [key, ...previousKeys]) => {
  const code = text.replaceAll(/[ -]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const hash = (by: Buffer) => createHmac('sha256', by).update(code).digest('hex')
  return [hash(key), ...previousKeys.map(hash)]
}
