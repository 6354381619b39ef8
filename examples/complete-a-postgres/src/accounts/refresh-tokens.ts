import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyRing } from './keys.ts'

/**
 * The form of a refresh token: opaque to clients, 256 bits that nobody can guess.
 *
 *     session id (6 bytes) · secret (32 bytes) · tag (16 bytes), in base64url
 *
 * The tag proves that we issued the token. An old token of a session is recognised by it as a replay although the
 * database keeps nothing of old tokens; and nobody can end a session with an invented one.
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
 * The tokens that may follow a token, one for each key of the ring: the first is the one to use. A successor is derived
 * from its predecessor and our key, so that it can be given out again without being stored, and without the
 * predecessor nobody can compute it, not even with the key and the database.
 */
export const successorsOf = ({ text, sessionId }: RefreshToken, keys: KeyRing): RefreshToken[] =>
  keys.map((key) => write(sessionId, createHmac('sha256', key).update(text).digest(), key))

/** Takes a token apart; undefined where it is none of ours. */
export function readToken(text: string, keys: KeyRing): RefreshToken | undefined {
  const bytes = Buffer.from(text, 'base64url')
  // base64url has several spellings for the same bytes; only the one that was issued counts.
  if (bytes.length !== idBytes + secretBytes + tagBytes || bytes.toString('base64url') !== text)
    return undefined
  const body = bytes.subarray(0, idBytes + secretBytes)
  const tag = bytes.subarray(idBytes + secretBytes)
  if (!keys.some((key) => timingSafeEqual(tagOf(body, key), tag))) return undefined
  return { text, sessionId: body.readUIntBE(0, idBytes) }
}

/** What the database keeps of a token. */
export const hashToken = (text: string): string => createHash('sha256').update(text).digest('hex')

function write(sessionId: number, secret: Buffer, key: Buffer): RefreshToken {
  const id = Buffer.alloc(idBytes)
  id.writeUIntBE(sessionId, 0, idBytes)
  const body = Buffer.concat([id, secret])
  return { text: Buffer.concat([body, tagOf(body, key)]).toString('base64url'), sessionId }
}

const tagOf = (body: Buffer, key: Buffer): Buffer =>
  createHmac('sha256', key).update('tag').update(body).digest().subarray(0, tagBytes)
