import * as client from 'openid-client'
import { z } from 'zod'
import { normalizeEmail } from '../users/names.ts'
import type { Provider } from './providers.ts'

/** What a provider vouches for. */
export interface Claims {
  issuer: string
  subject: string
  /** Normalized. */
  email: string | undefined
  /** Whether the provider says that it has verified the address: whether that counts is a setting. */
  isEmailVerified: boolean
  /** A name to make a username of. */
  name: string
}

/** What the answer of a flow has to match. */
export interface Expected {
  state: string
  nonce: string
  verifier: string
}

/** Not empty (supabase GHSA-5hvv-9cqv-894r): at most 255 characters of ASCII (OpenID Connect Core 1.0, section 2). */
const subject = z.string().regex(/^[ -~]{1,255}$/)

const claimed = z.object({
  email: z.string().optional().catch(undefined),
  // The boolean alone: "true" is what CVE-2026-15611 of Logto took for true.
  email_verified: z.literal(true).optional().catch(undefined),
  /** Microsoft's word for it, in three spellings. */
  xms_edov: z
    .union([z.literal(true), z.literal(1), z.literal('1')])
    .optional()
    .catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
})

/**
 * Redeems the code that a provider's answer contains, and reads who the user is there. The provider's tokens are dropped.
 * @param answer the redirect address with the query of the answer
 * @throws Error of the library, or of a claim that is not as it must be
 */
export async function readClaims(
  provider: Provider,
  configuration: client.Configuration,
  answer: URL,
  { state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier }: Expected,
): Promise<Claims> {
  const checks = { expectedState, pkceCodeVerifier }
  if (provider.api) {
    const tokens = await client.authorizationCodeGrant(configuration, answer, checks)
    return githubClaims(provider, provider.api, configuration, tokens.access_token)
  }
  const tokens = await client.authorizationCodeGrant(configuration, answer, {
    ...checks,
    expectedNonce,
    idTokenExpected: true,
  })
  const token = tokens.claims()
  const sub = subject.parse(token?.sub)
  // Google and others put the address into the id_token, which saves a request.
  const isEnough = typeof token?.email === 'string' || !configuration.serverMetadata().userinfo_endpoint
  // Of the same subject only: the answer has no signature (better-auth 1.7.16).
  const userinfo = isEnough ? {} : await client.fetchUserInfo(configuration, tokens.access_token, sub)
  const { email, name, ...given } = claimed.parse({ ...userinfo, ...token })
  return {
    issuer: provider.issuer,
    subject: sub,
    email: email === undefined ? undefined : normalizeEmail(email),
    isEmailVerified: given.email_verified ?? (provider.name === 'microsoft' && given.xms_edov !== undefined),
    name: given.preferred_username ?? name ?? '',
  }
}

const githubUser = z.object({ id: z.int().positive(), login: z.string() })
const githubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** GitHub's user, by the number that stays when they rename themselves, and their primary address. */
async function githubClaims(
  { issuer }: Provider,
  api: string,
  configuration: client.Configuration,
  token: string,
): Promise<Claims> {
  const read = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: 'application/vnd.github+json' })
    const url = new URL(`${api}${path}`)
    const answer = await client.fetchProtectedResource(configuration, token, url, 'GET', null, headers)
    if (answer.status !== 200) throw new Error(`Status ${answer.status}`)
    return answer.json()
  }
  const { id, login: name } = githubUser.parse(await read('/user'))
  const primary = githubEmails.parse(await read('/user/emails')).find((email) => email.primary)
  return {
    issuer,
    subject: String(id),
    email: primary && normalizeEmail(primary.email),
    isEmailVerified: primary?.verified ?? false,
    name,
  }
}
