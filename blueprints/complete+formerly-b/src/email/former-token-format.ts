import { createHmac } from 'node:crypto'
import type { HashWithKeys } from '../sessions/keys.ts'

/** Hashes of a code from profile B. HMAC with each key: a plain hash of 80 bits could be searched offline. */
export const formerEmailTokenHashes: HashWithKeys = (text, [key, ...previousKeys]) => {
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
