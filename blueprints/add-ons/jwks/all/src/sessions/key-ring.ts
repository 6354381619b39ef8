import { type Config, ConfigError } from '../config.ts'
import { asymmetric } from '../settings/algorithms/asymmetric.ts'
import { type KeyAlgorithm, type KeyPair, parseKey, readKeys } from './key-files.ts'

/** How long a new key is published before it signs, in milliseconds, so that other services know it by then. */
const publishedFirstMs = 10 * 60_000

/** In seconds. A token that is issued without a lifetime has this one. */
const defaultLifetime = 15 * 60

/** The time of a key, in milliseconds since 1970. */
export interface Term {
  signsFrom: number
  /** When the next key signs. */
  signsUntil: number
  /** When the last token of the key has expired, which is published until then. */
  expiresAt: number
}

export type RingKey = KeyPair & Term

type Settings = Pick<Config, 'accessTokens' | 'jwks'>

/** The algorithm of new keys. Undefined: the secret signs. */
export const keyAlgorithm = ({ accessTokens }: Settings): KeyAlgorithm | undefined =>
  asymmetric.find((name) => name === accessTokens.algorithm)

/** How long a token lives after its key was replaced, at most, in milliseconds. */
export const longestTokenMs = ({ accessTokens }: Settings): number =>
  Math.max(accessTokens.lifetimeSeconds, defaultLifetime) * 1000

/**
 * Reads the keys of the settings, the oldest first.
 * @param known see readKeys
 * @throws ConfigError if one is not usable
 */
export function readRing(settings: Settings, known: readonly KeyPair[] = []): RingKey[] {
  const { folder, privateKey } = settings.jwks
  if (privateKey === undefined) return ringOf(readKeys(folder, known), longestTokenMs(settings))
  const pem = privateKey.replaceAll('\\n', '\n')
  // When it was made is not known, so no token of the secret is from before.
  return ringOf([{ ...parseKey(pem, 'JWT_PRIVATE_KEY'), createdAt: 0, isFirst: false }], 0)
}

/** @throws ConfigError if no key has the algorithm of the settings, or JWT_AUDIENCE lacks the service itself */
export function checkRing(settings: Settings, ring: readonly RingKey[]): void {
  const { folder, privateKey, audiences, ownAudience } = settings.jwks
  const { algorithm } = settings.accessTokens
  if (!audiences.includes(ownAudience) || audiences.includes(''))
    throw new ConfigError(`JWT_AUDIENCE must include ${ownAudience}, this service, and no empty name`)
  if (ring.some((key) => key.algorithm === algorithm)) return
  throw new ConfigError(
    privateKey === undefined
      ? `JWT_KEYS_DIR ${folder} has no ${algorithm} key: make one with the script keys, "create" or "rotate"`
      : `JWT_PRIVATE_KEY is no ${algorithm} key`,
  )
}

/** The first key signs at once, and each other ten minutes after it was made. */
function ringOf(keys: readonly KeyPair[], tokenMs: number): RingKey[] {
  const starts = keys.map(({ createdAt }, index) => (index === 0 ? 0 : createdAt + publishedFirstMs))
  return keys.map((key, index) => {
    const signsUntil = starts[index + 1] ?? Number.POSITIVE_INFINITY
    return { ...key, signsFrom: starts[index] ?? 0, signsUntil, expiresAt: signsUntil + tokenMs }
  })
}

/** A key whose file was deleted: none of its tokens is valid. */
export const removed = (key: RingKey): RingKey => ({
  ...key,
  signsUntil: Number.NEGATIVE_INFINITY,
  expiresAt: Number.NEGATIVE_INFINITY,
})
