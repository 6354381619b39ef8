import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing } from '../accounts/keys.ts'

const ivBytes = 12
const tagBytes = 16

/** Encrypts text with AES-256-GCM: whoever reads a dump of the database finds no token in the queue. */
export function seal(text: string, [key]: KeyRing): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** The text that was sealed with one of the keys. @throws Error where none fits */
export function unseal(sealed: string, keys: KeyRing): string {
  const bytes = Buffer.from(sealed, 'base64url')
  for (const key of keys) {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString(
        'utf8',
      )
    } catch {
      // Another key of the ring.
    }
  }
  throw new Error('A sealed text fits none of the keys: was a secret removed before its mails were sent?')
}
