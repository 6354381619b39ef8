import { sign, verify } from 'node:crypto'
import type { Context } from '../context.ts'
import { isForThisService, keyClaims, keyServiceClaims, readKeyClaims } from './key-claims.ts'
import { checkRing, longestTokenMs, type RingKey, readRing, removed } from './key-ring.ts'
import { createSecretSigner, encode, type Signed, type Signer, type Signers } from './signers.ts'

/** How often an instance reads the keys, in milliseconds. */
const readEveryMs = 60_000

/** How soon it reads them again for a token with an unknown key. A flood of made-up ones must not keep it busy. */
const readForUnknownMs = 10_000

interface KeySigner extends Signer {
  key: RingKey
}

/** The signers of the keys in the settings, and what other services need to verify their tokens. */
export interface KeySigners extends Signers {
  /** The public keys as JWKs (RFC 7517). */
  published(): { kid: string; alg: string; use: string; kty?: string }[]
}

/**
 * Signs with the newest key that other services know by now, and verifies with all keys. The secret, which signed before,
 * only verifies tokens from before the first key.
 * @throws ConfigError if there is no usable key
 */
export function createKeySigners({ config, log, now }: Pick<Context, 'config' | 'log' | 'now'>): KeySigners {
  let signers: KeySigner[] = []
  /** With those of removed keys. */
  let created: KeySigner[] = []
  let readAt = now()
  readAgain()

  /** @throws ConfigError */
  function readAgain(): void {
    const known = created.map(({ key }) => key)
    const ring = readRing(config, known)
    checkRing(config, ring)
    // Verified tokens remember their signer: those of a removed key must not stay valid.
    for (const signer of created)
      signer.key = ring.find((key) => isSame(key, signer.key)) ?? removed(signer.key)
    signers = ring.map((key) => created.find((signer) => signer.key === key) ?? createSigner(key))
    created = [...new Set([...created, ...signers])]
  }

  /** Reads the keys again unless that was less than `ms` ago. */
  function refresh(ms = readEveryMs): void {
    const age = now() - readAt
    if (age >= 0 && age < ms) return
    readAt = now()
    try {
      readAgain()
    } catch (error) {
      // A folder that is empty or broken for a moment must not log out everyone.
      const reason = error instanceof Error ? error.message : error
      log.warn({ event: 'keys.unreadable', reason }, 'the keys cannot be read; those from before stay')
    }
  }

  function createSigner(key: RingKey): KeySigner {
    const { algorithm, kid, privateKey, publicKey } = key
    const hash = algorithm === 'EdDSA' ? null : 'sha256'
    // Two numbers of 32 bytes (RFC 7518 section 3.4). Only ES256 reads it.
    const dsaEncoding = 'ieee-p1363'
    const signer: KeySigner = {
      key,
      header: encode({ alg: algorithm, typ: 'at+jwt', kid }),
      sign: (input) => sign(hash, Buffer.from(input), { key: privateKey, dsaEncoding }).toString('base64url'),
      isSignature(signature, input) {
        const bytes = Buffer.from(signature, 'base64url')
        // base64url has several spellings for the same bytes: accept only the issued one.
        if (bytes.toString('base64url') !== signature) return false
        return verify(hash, Buffer.from(input), { key: publicKey, dsaEncoding }, bytes)
      },
      isValid(signed) {
        refresh()
        // A login may date a token a second ahead.
        return isFrom(signed, signer.key.signsUntil + 1000, signer.key.expiresAt)
      },
      serviceClaims: keyServiceClaims(config),
      isForService: (payload) => isForThisService(payload, config.jwks),
      claimsOf: (user) => keyClaims(user, config),
      read: ({ payload }) => readKeyClaims(payload, config.jwks),
    }
    return signer
  }

  const secret = createSecretSigner({ ...config.accessTokens, algorithm: 'HS256' })
  const former: Signer = {
    ...secret,
    isValid(signed) {
      refresh()
      // Whoever has the secret could otherwise make tokens of any user for ever.
      const until = signers.find(({ key }) => key.isFirst)?.key.createdAt ?? 0
      return isFrom(signed, until, until + longestTokenMs(config))
    },
  }

  const find = (kid: string) => signers.find(({ key }) => key.kid === kid)

  return {
    current() {
      refresh()
      const [first, ...others] = signers as [KeySigner, ...KeySigner[]]
      return others.findLast(({ key }) => key.signsFrom <= now()) ?? first
    },
    find(header) {
      if (header === former.header) return former
      const { alg, kid } = readHeader(header) ?? {}
      if (kid === undefined) return undefined
      refresh()
      if (!find(kid)) refresh(readForUnknownMs)
      const signer = find(kid)
      // The key decides the algorithm, never the token (RFC 8725 section 3.1).
      return signer?.key.algorithm === alg ? signer : undefined
    },
    published() {
      refresh()
      const live = signers.filter(({ key }) => now() < key.expiresAt)
      return live.map(({ key }) => ({
        ...key.publicKey.export({ format: 'jwk' }),
        kid: key.kid,
        alg: key.algorithm,
        use: 'sig',
      }))
    },
  }
}

const isSame = (a: RingKey, b: RingKey) => a.kid === b.kid && a.pem === b.pem

/**
 * Whether a token is from before its signer was replaced, and not all of those have expired. So a stolen old key signs
 * nothing. An expired token has an answer of its own.
 */
const isFrom = ({ payload, now }: Signed, signsUntil: number, expiresAt: number) =>
  Number(payload.iat) * 1000 < signsUntil && (now < expiresAt || Number(payload.exp) * 1000 <= now)

/**
 * Reads a header with `alg`, `kid` and `typ`, in any order. One with `jku`, `jwk` or `crit` would choose a key or a rule
 * (RFC 8725 section 3.10), and another `typ` is another kind of token.
 */
function readHeader(header: string): { alg: string; kid: string } | undefined {
  if (header.length > 300) return undefined
  try {
    const text = Buffer.from(header, 'base64url').toString()
    const { alg, kid, typ, ...others } = JSON.parse(text)
    const isPlain = JSON.stringify(JSON.parse(text)) === text && encodeText(text) === header
    if (!isPlain || Object.keys(others).length > 0) return undefined
    return typ === 'at+jwt' && typeof kid === 'string' ? { alg, kid } : undefined
  } catch {
    return undefined
  }
}

const encodeText = (text: string) => Buffer.from(text).toString('base64url')
