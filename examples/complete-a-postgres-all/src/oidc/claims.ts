import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { z } from 'zod'
import { normalizeEmail } from '../users/names.ts'
import { openidClient, problemOf } from './client.ts'
import type { Flow } from './flows.ts'
import type { Provider } from './providers.ts'

/** What a provider vouches for. */
export interface Claims {
  issuer: string
  subject: string
  /** Normalized. */
  email: string | undefined
  /** Whether the provider says that it has verified the address: whether that counts is a setting. */
  isEmailVerified: boolean
  /** A name to make a username of: any text. */
  name: string
}

/**
 * Redeems the code that a provider's answer contains, and reads who the user is there. The provider's tokens are dropped.
 * @param query of the answer, as sent
 * @throws FlowError
 */
export async function readClaims(
  provider: Provider,
  configuration: Configuration,
  query: string,
  { state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier }: Flow,
): Promise<Claims> {
  const answer = new URL(provider.redirectUri)
  answer.search = query
  const checks = { expectedState, pkceCodeVerifier }
  const isToken = { expectedNonce, idTokenExpected: true }
  const expected = provider.api ? checks : { ...checks, ...isToken }
  try {
    const { authorizationCodeGrant } = await openidClient()
    const tokens = await authorizationCodeGrant(configuration, answer, expected)
    return await (provider.api ? readGithub : readToken)(provider, configuration, tokens)
  } catch (error) {
    throw await problemOf(error)
  }
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers

/** Not empty (supabase GHSA-5hvv-9cqv-894r): at most 255 characters of ASCII (OpenID Connect Core 1.0, section 2). */
const subject = z.string().regex(/^[ -~]{1,255}$/)

const claimed = z.object({
  email: z.string().optional().catch(undefined),
  // The boolean alone: "true" is what CVE-2026-15611 of Logto took for true.
  email_verified: z.literal(true).optional().catch(undefined),
  /** Microsoft's word for it, in three spellings. */
  xms_edov: z.literal([true, 1, '1']).optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
})

async function readToken(
  { issuer, name: provider }: Provider,
  configuration: Configuration,
  tokens: Tokens,
): Promise<Claims> {
  const token = tokens.claims()
  const sub = subject.parse(token?.sub)
  // Google and others put the address into the id_token, which saves a request.
  const isEnough = typeof token?.email === 'string' || !configuration.serverMetadata().userinfo_endpoint
  // Of the same subject only: the answer has no signature (better-auth 1.7.16).
  const { fetchUserInfo } = await openidClient()
  const userinfo = isEnough ? {} : await fetchUserInfo(configuration, tokens.access_token, sub)
  const { email = '', name, ...given } = claimed.parse({ ...userinfo, ...token })
  return {
    ...{ issuer, subject: sub, email: normalizeEmail(email) },
    isEmailVerified: given.email_verified ?? (provider === 'microsoft' && given.xms_edov !== undefined),
    name: given.preferred_username ?? name ?? '',
  }
}

const githubUser = z.object({ id: z.int().positive(), login: z.string() })
const githubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** GitHub's user, by the number that stays when they rename themselves, and their primary address. */
async function readGithub(
  { issuer, api }: Provider,
  configuration: Configuration,
  { access_token: token }: Tokens,
): Promise<Claims> {
  const { fetchProtectedResource } = await openidClient()
  const headers = new Headers({ accept: 'application/vnd.github+json' })
  const read = async (path: string): Promise<unknown> => {
    const url = new URL(`${api}${path}`)
    const answer = await fetchProtectedResource(configuration, token, url, 'GET', null, headers)
    if (answer.status !== 200) throw new Error(`Status ${answer.status}`)
    return answer.json()
  }
  const { id, login: name } = githubUser.parse(await read('/user'))
  const primary = githubEmails.parse(await read('/user/emails')).find((email) => email.primary)
  const { email = '', verified: isEmailVerified = false } = primary ?? {}
  return { issuer, subject: String(id), email: normalizeEmail(email), isEmailVerified, name }
}
