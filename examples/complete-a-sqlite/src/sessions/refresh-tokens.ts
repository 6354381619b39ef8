import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyRing } from '../keys.ts'

/**
 * Opaque to clients: session id (6 bytes) · secret (32 bytes) · tag (16 bytes), in base64url. The tag proves that this
 * service issued the token: a replay is detected without storing old tokens, and a made-up token cannot end a session.
 */
export interface RefreshToken {
  text: string
  sessionId: number
}

const idBytes = 6
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
  // base64url has several spellings for the same bytes: accept only the issued one.
  if (bytes.length !== idBytes + secretBytes + tagBytes || bytes.toString('base64url') !== text)
    return undefined
  const body = bytes.subarray(0, idBytes + secretBytes)
  const tag = bytes.subarray(idBytes + secretBytes)
  if (!keys.some((key) => timingSafeEqual(tagOf(body, key), tag))) return undefined
  return { text, sessionId: body.readUIntBE(0, idBytes) }
}

/** The hash of a token, which is stored in the database. */
export const hashToken = (text: string): string => createHash('sha256').update(text).digest('hex')

function write(sessionId: number, secret: Buffer, key: Buffer): RefreshToken {
  const id = Buffer.alloc(idBytes)
  id.writeUIntBE(sessionId, 0, idBytes)
  const body = Buffer.concat([id, secret])
  return { text: Buffer.concat([body, tagOf(body, key)]).toString('base64url'), sessionId }
}

const tagOf = (body: Buffer, key: Buffer): Buffer =>
  createHmac('sha256', key).update('tag').update(body).digest().subarray(0, tagBytes)
