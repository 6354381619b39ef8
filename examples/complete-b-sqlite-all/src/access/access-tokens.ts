import { randomUUID } from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import { ApiError } from '../errors/api-error.ts'
import type { User } from '../users/users.ts'
import { readClaims, userClaims } from './claims.ts'

/** The content of a valid access token. */
export interface AccessToken {
  userId: number
  username: string
  /** Seconds since 1970. */
  issuedAt: number
  /** All claims, as signed. */
  payload: Readonly<Record<string, unknown>>
}

interface AccessTokenOptions {
  /** In seconds. Default: 15 minutes. */
  lifetime?: number
  /** Additional claims. `iat` is in seconds since 1970. Default: now. */
  claims?: Record<string, unknown> & { iat?: number }
}

/** A token with a valid signature. Its content is not checked yet. */
interface OpenedToken {
  header: Readonly<Record<string, unknown>>
  payload: Readonly<Record<string, unknown>>
}

/** RFC 9068 section 2.1. Other kinds of JWT that are signed with the same key are rejected. */
const typ = 'at+jwt'

const defaultLifetime = 15 * 60

/** In seconds. This service never issues a token with a longer lifetime. */
const longestLifetime = 24 * 60 * 60

/** How far the clock of another instance may be ahead, in seconds. Its tokens would otherwise be refused at random. */
const clockSkew = 15 * 60

/** How many tokens are kept whose signature is known: a few megabytes. Beyond it, the least recently used one is dropped. */
const maxOpened = 5_000

/** Signs and verifies access tokens (RFC 7519, RFC 8725). `now` returns milliseconds since 1970. */
export function createAccessTokens(settings: Config['accessTokens'], now: () => number) {
  const { algorithm, secret } = settings
  const sign = createSigner({ key: secret, algorithm, header: { alg: algorithm, typ } })
  const open = createOpener(settings)

  return {
    /** @returns the signed token */
    issue(user: User, { lifetime = defaultLifetime, claims }: AccessTokenOptions = {}): string {
      const issuedAt = claims?.iat ?? Math.floor(now() / 1000)
      return sign({
        ...claims,
        ...userClaims(user, settings),
        iat: issuedAt,
        exp: issuedAt + lifetime,
        jti: randomUUID(),
      })
    },

    /** @throws ApiError token_expired or invalid_token */
    verify(token: string): AccessToken {
      const opened = open(token)
      return check(opened, readClaims(opened.payload, settings), now())
    },
  }
}

/**
 * Verifies the signature with each key. The token's header must choose neither the algorithm nor the key: with `none`,
 * `kid`, `jku` or `jwk` an attacker could forge tokens (RFC 8725 sections 3.1 and 3.10).
 *
 * Clients send a token many times, and the signature of the same text by the same keys stays valid. Everything that can
 * change is checked for each request: the times here, the session and the user by findCaller.
 */
function createOpener({ algorithm, secret, previousSecrets }: Config['accessTokens']) {
  const options = { algorithms: [algorithm], complete: true, ignoreExpiration: true, ignoreNotBefore: true }
  const verifiers = [secret, ...previousSecrets].map((key) => createVerifier({ ...options, key }))
  const known = new LRUCache<string, OpenedToken>({ max: maxOpened })
  /** @throws ApiError invalid_token */
  return (token: string): OpenedToken => {
    const knownToken = known.get(token)
    if (knownToken) return knownToken
    for (const verify of verifiers) {
      try {
        const opened: OpenedToken = verify(token)
        // All requests with this token share it.
        Object.freeze(opened.payload)
        known.set(token, opened)
        return opened
      } catch {
        // Try the next key.
      }
    }
    throw new ApiError('invalid_token')
  }
}

/** Checks the header (only alg and typ), the times and the claims. @throws ApiError token_expired or invalid_token */
function check(
  { header, payload }: OpenedToken,
  claims: ReturnType<typeof readClaims>,
  now: number,
): AccessToken {
  // No token of this service has nbf. One that has it may be meant for later (RFC 7519 section 4.1.5).
  const { iat, exp, nbf = 0 } = payload
  const seconds = now / 1000
  if (
    header.typ !== typ ||
    Object.keys(header).length !== 2 ||
    claims === undefined ||
    !isInteger(iat) ||
    !isInteger(exp) ||
    !isInteger(nbf) ||
    nbf > seconds ||
    iat > seconds + clockSkew ||
    exp <= iat ||
    exp - iat > longestLifetime
  ) {
    throw new ApiError('invalid_token')
  }
  if (exp <= seconds) throw new ApiError('token_expired', { log: { userId: claims.userId } })
  return { ...claims, issuedAt: iat, payload }
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)
