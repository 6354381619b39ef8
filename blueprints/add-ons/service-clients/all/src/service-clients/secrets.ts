import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Scanners of repositories find secrets by it: `svc_[\w-]{49}`. */
const prefix = 'svc_'

const sha256 = (text: string) => createHash('sha256').update(text)

/**
 * A new secret: the prefix, 256 random bits (43 characters) and a checksum of both (6 characters). One word, so that a
 * double click selects all of it.
 */
export function newSecret(): string {
  const text = prefix + randomBytes(32).toString('base64url')
  return text + checksumOf(text)
}

/** Tells a scanner, which knows no hash, a secret from a text that only looks like one. */
const checksumOf = (text: string) => sha256(text).digest('base64url').slice(0, 6)

/** What is stored of a secret. */
export const hashSecret = (secret: string): string => sha256(secret).digest('base64url')

/** Takes the same time wherever the hashes differ, which would tell an attacker how much of a guess is right. */
export function isHashOf(hash: string, secret: string): boolean {
  const [one, other] = [Buffer.from(hash), Buffer.from(hashSecret(secret))]
  return one.length === other.length && timingSafeEqual(one, other)
}
