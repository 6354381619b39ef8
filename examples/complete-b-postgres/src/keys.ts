import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Config } from './config.ts'

/** Keys of one purpose. New values use the first key. Existing ones may use any, so a new secret revokes nothing. */
export type KeyRing = readonly [Buffer, ...Buffer[]]

/** Hashes a text with each key. The first hash is for new values, and existing ones may have any. */
export type HashWithKeys = (text: string, keys: KeyRing) => [string, ...string[]]

export type Keys = ReturnType<typeof deriveKeys>

/** Derives keys from the configured secrets (HKDF, RFC 5869), for one purpose alone: its values must pass for no others. */
export function deriveRing({ secret, previousSecrets }: Config['accessTokens'], purpose: string): KeyRing {
  const derive = (from: string) => Buffer.from(hkdfSync('sha256', from, '', purpose, 32))
  return [derive(secret), ...previousSecrets.map(derive)]
}

export function deriveKeys(secrets: Config['accessTokens']) {
  const ring = (purpose: string) => deriveRing(secrets, purpose)
  return {
    /** Derives refresh tokens from their predecessors and authenticates them. */
    refreshTokens: ring('refresh tokens'),
    /** Hashes emailed tokens. */
    emailTokens: ring('email tokens'),
    /** Encrypts queued emails. */
    outbox: ring('outbox'),
  }
}

const ivBytes = 12
const tagBytes = 16

/** Encrypts text with AES-256-GCM, so that a dump of the database does not reveal it. */
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
  throw new Error('No secret decrypts this value. List its former secret until nothing is encrypted with it.')
}
