import { hkdfSync } from 'node:crypto'
import type { Config } from '../config.ts'

/** Keys of one purpose: the first makes, all of them check, so that a new secret does not end what is under way. */
export type KeyRing = readonly [Buffer, ...Buffer[]]

export interface Keys {
  /** Derives refresh tokens from their predecessors, and marks them as ours. */
  refreshTokens: KeyRing
  /** Hashes verification and reset tokens. */
  emailTokens: KeyRing
  /** Encrypts what waits to be mailed. */
  outbox: KeyRing
}

/** A key for each purpose, derived from the configured secrets (HKDF, RFC 5869): none of them signs access tokens. */
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
