import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyRing } from '../keys.ts'

/**
 * Opaque to clients: session id (6 bytes, 7 from 2^48) · secret (32 bytes) · tag (16 bytes), in base64url. The tag proves
 * that this service issued the token: a replay is detected without storing old tokens, and a made-up token cannot end a
 * session.
 */
export interface RefreshToken {
  text: string
  sessionId: number
}

const secretBytes = 32
const tagBytes = 16

/** The first token of a session. */
export const firstToken = (sessionId: number, [key]: KeyRing): RefreshToken =>
  write(sessionId, randomBytes(secretBytes), key)

/**
 * The possible successors of a token, one for each key. The first one is issued. A successor is derived from its
 * predecessor and the key, so it need not be stored, and neither of the two is enough to compute it.
 */
export function successorsOf(
  { text, sessionId }: RefreshToken,
  [key, ...previousKeys]: KeyRing,
): [RefreshToken, ...RefreshToken[]] {
  const successor = (key: Buffer) => write(sessionId, createHmac('sha256', key).update(text).digest(), key)
  return [successor(key), ...previousKeys.map(successor)]
}

/** Parses a token. Undefined if this service did not issue it. */
export function readToken(text: string, keys: KeyRing): RefreshToken | undefined {
  const bytes = Buffer.from(text, 'base64url')
  const idBytes = bytes.length - secretBytes - tagBytes
  // base64url has several spellings for the same bytes: accept only the issued one.
  if (![6, 7].includes(idBytes) || bytes.toString('base64url') !== text) return undefined
  const body = bytes.subarray(0, idBytes + secretBytes)
  const tag = bytes.subarray(idBytes + secretBytes)
  if (!keys.some((key) => timingSafeEqual(tagOf(body, key), tag))) return undefined
  return { text, sessionId: Number.parseInt(body.toString('hex', 0, idBytes), 16) }
}

/** The hash of a token, which is stored in the database. */
export const hashToken = (text: string): string => createHash('sha256').update(text).digest('hex')

function write(sessionId: number, secret: Buffer, key: Buffer): RefreshToken {
  const id = sessionId.toString(16).padStart(sessionId < 2 ** 48 ? 12 : 14, '0')
  const body = Buffer.concat([Buffer.from(id, 'hex'), secret])
  return { text: Buffer.concat([body, tagOf(body, key)]).toString('base64url'), sessionId }
}

const tagOf = (body: Buffer, key: Buffer): Buffer =>
  createHmac('sha256', key).update('tag').update(body).digest().subarray(0, tagBytes)
