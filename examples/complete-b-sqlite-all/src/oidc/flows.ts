import { randomBytes } from 'node:crypto'
import * as client from 'openid-client'
import type { Context } from '../context.ts'
import { hashToken, insertToken, type SignInToken, takeToken } from '../sign-in/tokens.ts'
import type { User } from '../users/users.ts'
import type { Expected } from './claims.ts'
import { type ConfigurationOf, FlowError } from './client.ts'
import type { Provider } from './providers.ts'

/** A flow leads to a provider and back, in one browser. It works once, and proves nothing of another provider or browser. */

const purpose = 'oidc flow'
export const flowSeconds = 10 * 60

/** What a front end asks for. */
export interface Asked {
  /** PKCE of the front end (RFC 7636, S256): who has the one-time code alone cannot exchange it. */
  challenge: string
  /** A path of the front end. */
  returnTo?: string | undefined
}

/** Whose account a flow adds an identity to. Without one, it logs in. */
export interface Linking {
  user: User
  sessionId: number
  /** Whether they have proved their second factor for it. */
  isProved: boolean
}

export interface Flow extends Expected, Asked {
  /** The name of the provider: the answer of another one is none (mix-up, next-auth CVE-2026-73419). */
  provider: string
  /** Hash of the cookie. */
  cookie: string
  isProved?: boolean | undefined
}

/** 256 random bits. */
export const randomToken = (): string => randomBytes(32).toString('base64url')

/**
 * Starts a flow.
 * @returns where the browser goes, and the cookie that it needs when it comes back
 * @throws FlowError provider_unavailable
 */
export async function startFlow(
  ctx: Context,
  configurationOf: ConfigurationOf,
  provider: Provider,
  { challenge, returnTo }: Asked,
  { isProved, ...owner }: Partial<Linking> = {},
): Promise<{ url: string; cookie: { name: string; value: string } }> {
  const configuration = await configurationOf(provider)
  const [state, nonce, value] = [randomToken(), randomToken(), randomToken()]
  const verifier = client.randomPKCECodeVerifier()
  const flow: Flow = {
    ...{ provider: provider.name, state, nonce, verifier, challenge, returnTo },
    ...{ cookie: hashToken(value), isProved },
  }
  await ctx.db.transaction((tx) =>
    insertToken(ctx, tx, {
      ...owner,
      token: hashToken(state),
      purpose,
      data: flow,
      lifetimeMs: flowSeconds * 1000,
    }),
  )
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: provider.redirectUri,
    scope: provider.scopes,
    state,
    // Not for OAuth 2, which has no id_token to find it in.
    ...(!provider.api && { nonce }),
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { url: url.href, cookie: { name: cookieName(state), value } }
}

/** One cookie a flow: two flows in one browser do not meet. */
const cookieName = (state: string): string => `oidc-${hashToken(state).slice(0, 16)}`

/**
 * Uses up the flow of an answer: none counts twice.
 * @param cookieOf reads a cookie of the browser by its name
 * @returns the row, and what it contains
 * @throws FlowError invalid_answer
 */
export async function takeFlow(
  ctx: Context,
  provider: Provider,
  state: string,
  cookieOf: (name: string) => string | undefined,
): Promise<{ row: SignInToken; flow: Flow; cookie: string }> {
  const row = await ctx.db.transaction((tx) => takeToken(ctx, tx, purpose, hashToken(state)))
  if (!row) throw new FlowError('invalid_answer')
  const flow: Flow = JSON.parse(row.data)
  const cookie = cookieName(state)
  // Otherwise an attacker could finish their own flow in the browser of somebody else (login CSRF, session fixation).
  const isOfBrowser = hashToken(cookieOf(cookie) ?? '') === flow.cookie
  if (!isOfBrowser || flow.provider !== provider.name) throw new FlowError('invalid_answer')
  return { row, flow, cookie }
}
