import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import type { User } from '../users/users.ts'
import { isForService, readClaims, serviceClaims, userClaims } from './claims.ts'

/** The claims of a token. */
export type Payload = Readonly<Record<string, unknown>>

/** What signs access tokens, and what its tokens say. */
export interface Signer {
  /** The header of its tokens, encoded. */
  header: string
  sign(input: string): string
  isSignature(signature: string, input: string): boolean
  /** Whether it may have signed this, and the token is still accepted. */
  isValid(signed: Signed): boolean
  /** The claims that say who issued the token, and for which service. */
  serviceClaims: Payload
  isForService(payload: Payload): boolean
  /** The claims that identify the user, besides these. */
  claimsOf(user: User): Payload
  /** Reads all of them. Undefined if one is wrong. */
  read(signed: Signed): { userId: number; username: string } | undefined
}

/** A signed payload at a time. */
export interface Signed {
  payload: Payload
  /** Milliseconds since 1970. */
  now: number
}

/** The signer of new tokens, and that of a token, by its encoded header. */
export interface Signers {
  current(): Signer
  find(header: string): Signer | undefined
}

/** Signs with the secret, and verifies with it and the previous ones (RFC 7515). */
export function createSecretSigner(settings: Config['accessTokens']): Signer {
  const { algorithm, secret, previousSecrets } = settings
  const signWith = (text: string) => {
    const key = createSecretKey(text, 'utf8')
    return (input: string) =>
      createHmac(`sha${algorithm.slice(2)}`, key)
        .update(input)
        .digest('base64url')
  }
  const signatures = [secret, ...previousSecrets].map(signWith)
  return {
    /**
     * Compared as text: a header that chose the algorithm or key (`none`, `kid`, `jku`, `jwk`) would let an attacker forge
     * tokens (RFC 8725 section 3.1), and another `typ` is another kind of token (RFC 9068 section 2.1).
     */
    header: encode({ alg: algorithm, typ: 'at+jwt' }),
    sign: signWith(secret),
    isSignature: (signature, input) =>
      signatures.some((signatureOf) => isEqual(signatureOf(input), signature)),
    isValid: () => true,
    serviceClaims: serviceClaims(settings),
    isForService: (payload) => isForService(payload, settings),
    claimsOf: (user) => userClaims(user),
    read(signed) {
      return readClaims(signed.payload, settings)
    },
  }
}

/** Encodes a part of a token. */
export const encode = (part: Payload): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Takes the same time wherever they differ, which would tell an attacker how much of a guess is right. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
