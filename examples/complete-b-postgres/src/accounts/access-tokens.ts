import { randomUUID } from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import type { Config } from '../config.ts'
import type { User } from '../db/schema/users.ts'
import { ApiError } from '../errors.ts'
import { readClaims, userClaims } from './claims.ts'
import { readFormerClaims } from './former-claims.ts'

/** What a valid access token says. */
export interface AccessToken {
  userId: number
  username: string
  /** Seconds since 1970. */
  issuedAt: number
  /** All claims, as signed. */
  payload: Record<string, unknown>
}

export interface AccessTokenOptions {
  /** Seconds; 15 minutes where none is given. */
  lifetime?: number
  /** Further claims. */
  claims?: Record<string, unknown>
  /** A moment that the token must not seem to be older than. */
  notBefore?: Date | null
}

/** RFC 9068 section 2.1: no other kind of JWT that this key may sign passes for an access token. */
const type = 'at+jwt'

const defaultLifetime = 15 * 60

/** No token of ours lives longer; a signed token that says so was not made by this service. Seconds. */
const longestLifetime = 24 * 60 * 60

/** How far the clock of another instance may be ahead, in seconds. */
const clockSkew = 60

export type AccessTokens = ReturnType<typeof createAccessTokens>

/** Signs and verifies access tokens (RFC 7519, RFC 8725). Time is the injected clock's, in milliseconds. */
export function createAccessTokens(settings: Config['accessTokens'], now: () => number) {
  const { algorithm, secret, previousSecrets } = settings
  const sign = createSigner({
    key: secret,
    algorithm,
    header: { alg: algorithm, typ: type },
  })
  // The algorithm is the configured one, whatever a token's header asks for: `none`, or a public key used as a secret,
  // would let anybody sign. The key is never chosen by the header (kid, jku, jwk): it could point to an attacker's.
  const verifiers = [secret, ...previousSecrets].map((key) =>
    createVerifier({
      key,
      algorithms: [algorithm],
      complete: true,
      ignoreExpiration: true,
      ignoreNotBefore: true,
    }),
  )

  /** Header and payload if one of our keys signed the token. */
  function open(token: string): { header: Record<string, unknown>; payload: Record<string, unknown> } {
    for (const verify of verifiers) {
      try {
        return verify(token)
      } catch {
        // Not this key; a token that is broken altogether fails with every key.
      }
    }
    throw new ApiError('invalid_token')
  }

  return {
    /** @returns the signed token */
    issue(user: User, { lifetime = defaultLifetime, claims, notBefore }: AccessTokenOptions = {}): string {
      const issuedAt = Math.max(Math.floor(now() / 1000), Math.ceil((notBefore?.getTime() ?? 0) / 1000))
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
      const { header, payload } = open(token)
      const claims = readClaims(payload, settings) ?? readFormerClaims(payload, settings, now())
      const { iat, exp } = payload
      const seconds = now() / 1000
      if (
        header.typ !== type ||
        Object.keys(header).length !== 2 ||
        claims === undefined ||
        !isInteger(iat) ||
        !isInteger(exp) ||
        iat > seconds + clockSkew ||
        exp <= iat ||
        exp - iat > longestLifetime
      ) {
        throw new ApiError('invalid_token')
      }
      if (exp <= seconds) throw new ApiError('token_expired')
      return { ...claims, issuedAt: iat, payload }
    },
  }
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)
