import { hkdfSync } from 'node:crypto'
import type { Config } from '../config.ts'

/** Keys of one purpose. New values use the first key. Existing ones may use any, so a new secret revokes nothing. */
export type KeyRing = readonly [Buffer, ...Buffer[]]

/** Hashes a text with each key. The first hash is for new values, and existing ones may have any. */
export type HashWithKeys = (text: string, keys: KeyRing) => [string, ...string[]]

export interface Keys {
  /** Derives refresh tokens from their predecessors and authenticates them. */
  refreshTokens: KeyRing
  /** Hashes emailed tokens. */
  emailTokens: KeyRing
  /** Encrypts queued emails. */
  outbox: KeyRing
}

/** Derives a key for each purpose from the configured secrets (HKDF, RFC 5869). None of them signs access tokens. */
export function deriveKeys({ secret, previousSecrets }: Config['accessTokens']): Keys {
  const ring = (purpose: string): KeyRing => {
    const derive = (from: string) => Buffer.from(hkdfSync('sha256', from, '', purpose, 32))
    return [derive(secret), ...previousSecrets.map(derive)]
  }
  return {
    refreshTokens: ring('refresh tokens'),
    emailTokens: ring('email tokens'),
    outbox: ring('outbox'),
  }
}
