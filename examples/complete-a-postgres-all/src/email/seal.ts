import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing } from '../sessions/keys.ts'

const ivBytes = 12
const tagBytes = 16

/** Encrypts text with AES-256-GCM, so that a dump of the database reveals no queued token. */
export function seal(text: string, [key]: KeyRing): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** Decrypts text that was sealed with one of the keys. @throws Error if no key matches */
export function unseal(sealed: string, keys: KeyRing): string {
  const bytes = Buffer.from(sealed, 'base64url')
  for (const key of keys) {
    const options = { authTagLength: tagBytes }
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), options)
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    try {
      const opened = [decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]
      return Buffer.concat(opened).toString('utf8')
    } catch {
      // Try the next key.
    }
  }
  throw new Error('No secret decrypts this email. List its former secret until all its emails are sent.')
}
