import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Config, ConfigError } from '../config.ts'
import { ApiError } from '../errors/api-error.ts'
import type { User } from '../users/users.ts'
import { customClaims } from './custom-claims.ts'
import {
  createSecretSigner,
  encode,
  type Payload,
  type Signed,
  type Signer,
  type Signers,
} from './signers.ts'

/** The content of a valid access token. */
export interface AccessToken {
  userId: number
  username: string
  /** Seconds since 1970. */
  issuedAt: number
  /** Seconds since 1970. */
  expiresAt: number
  /** All claims, as signed. */
  payload: Payload
}

interface AccessTokenOptions {
  /** In seconds. Default: 15 minutes. */
  lifetime?: number
  /** Additional claims. `iat` is in seconds since 1970. Default: now. */
  claims?: Record<string, unknown> & { iat?: number }
}

const defaultLifetime = 15 * 60

/** In seconds. This service never issues a token with a longer lifetime. */
const longestLifetime = 24 * 60 * 60

/** How far the clock of another instance may be ahead, in seconds. Its tokens would otherwise be refused at random. */
const clockSkew = 15 * 60

/** How many verified tokens are kept: a few megabytes. Beyond it, the least recently used one is dropped. */
const maxVerified = 5_000

/** Claims with a meaning in RFC 7519, OpenID Connect or RFC 9068, and those of this service. */
const reservedClaims =
  /^(iss|sub|aud|exp|nbf|iat|jti|user_id|username|token_type|sid|client_id|scope|amr|acr|azp|auth_time|nonce|cnf)$/

export type AccessTokens = ReturnType<typeof createAccessTokens>

/**
 * Signs and verifies access tokens (RFC 7519, RFC 8725). `now` returns milliseconds since 1970.
 * @throws ConfigError if a claim of your own has a reserved name: it could turn a token into one of another user
 */
export function createAccessTokens(
  settings: Config['accessTokens'],
  now: () => number,
  custom = customClaims,
) {
  const taken = Object.keys(custom).find((name) => reservedClaims.test(name))
  if (taken)
    throw new ConfigError(`src/sessions/custom-claims.ts: "${taken}" is reserved, choose another name`)
  const secret = createSecretSigner(settings)
  const onlySecret: Signers = {
    current: () => secret,
    find: (header) => (header === secret.header ? secret : undefined),
  }
  // Clients send a token many times, and what is signed stays signed. What can change is checked on each request: the
  // times and claims by `check` and the signer, the session and user by findCaller.
  const verified = new LRUCache<string, Verified>({ max: maxVerified })

  /** @throws ApiError invalid_token */
  function open(token: string): Verified {
    const [header = '', body = '', signature = '', rest] = token.split('.', 4)
    const signer = tokens.signers.find(header)
    const isSigned = rest === undefined && signer?.isSignature(signature, `${header}.${body}`)
    const payload = isSigned ? decode(body) : undefined
    if (!signer || !payload) throw new ApiError('invalid_token')
    verified.set(token, { payload, signer })
    return { payload, signer }
  }

  /**
   * Verifies the signature and the times.
   * @param read returns what the claims say, or undefined to refuse them
   * @throws ApiError token_expired or invalid_token
   */
  function accept<Claims extends object>(
    token: string,
    read: (signer: Signer, signed: Signed) => Claims | undefined,
  ) {
    const { payload, signer } = verified.get(token) ?? open(token)
    const signed = { payload, now: now() }
    return check(signed, signer.isValid(signed) ? read(signer, signed) : undefined)
  }

  const tokens = {
    /** A plugin can set others. Default: the secret alone. */
    signers: onlySecret,

    /** @returns the signed token */
    issue(user: User, { lifetime = defaultLifetime, claims }: AccessTokenOptions = {}): string {
      const own = Object.entries(custom).map(([name, read]) => [name, read(user)])
      const ours = tokens.signers.current().claimsOf(user)
      return tokens.sign({ ...Object.fromEntries(own), ...claims, ...ours }, lifetime)
    },

    /** Signs any claims. Without `user_id`, no guard for users accepts the token. @param lifetime in seconds */
    sign(claims: AccessTokenOptions['claims'], lifetime: number): string {
      const signer = tokens.signers.current()
      const iat = claims?.iat ?? Math.floor(now() / 1000)
      const times = { iat, exp: iat + lifetime, jti: randomUUID() }
      const input = `${signer.header}.${encode({ ...claims, ...signer.serviceClaims, ...times })}`
      return `${input}.${signer.sign(input)}`
    },

    accept,

    /** @throws ApiError token_expired or invalid_token */
    verify: (token: string): AccessToken => accept(token, (signer, signed) => signer.read(signed)),
  }
  return tokens
}

interface Verified {
  payload: Payload
  signer: Signer
}

/** The claims. Undefined if they are no JSON object. All requests with the token share them. */
function decode(body: string): Payload | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    return typeof payload === 'object' && payload !== null ? Object.freeze({ ...payload }) : undefined
  } catch {
    return undefined
  }
}

/** Checks the times and the claims. @throws ApiError token_expired or invalid_token */
function check<Claims extends object>({ payload, now }: Signed, claims: Claims | undefined) {
  // No token of this service has nbf. One that has it may be meant for later (RFC 7519 section 4.1.5).
  const { iat, exp, nbf = 0 } = payload
  const seconds = now / 1000
  if (
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
  const { userId } = claims as { userId?: number }
  if (exp <= seconds) throw new ApiError('token_expired', { log: { userId } })
  // The spread comes last: in Node 20, members after one take 4 µs.
  return { issuedAt: iat, expiresAt: exp, payload, ...claims }
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)
