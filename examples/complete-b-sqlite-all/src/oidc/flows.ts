import { randomBytes } from 'node:crypto'
import type { Configuration } from 'openid-client'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { findToken, hashToken, insertToken, type SignInToken, takeToken } from '../sign-in/tokens.ts'
import type { User } from '../users/users.ts'
import { FlowError, openidClient } from './client.ts'
import { type Provider, routeOf } from './providers.ts'

/** A flow leads to a provider and back, in one browser. It works once, and proves nothing of another provider or browser. */

const purpose = 'oidc flow'
const flowSeconds = 10 * 60

/** Of one browser at once. Each has a cookie, and a server refuses requests with too many. */
const maxFlows = 5

/** What a front end asks for. */
export interface Asked {
  /** PKCE of the front end (RFC 7636, S256): who has the one-time code alone cannot exchange it. */
  challenge: string
  /** A path of the front end. */
  returnTo?: string | undefined
}

export interface Flow extends Asked {
  /** The name of the provider: the answer of another one is none (mix-up, next-auth CVE-2026-73419). */
  provider: string
  /** What the answer has to match. */
  state: string
  nonce: string
  verifier: string
  /** Of a flow that adds an identity to its user: whether they have proved their second factor for it. */
  isProved?: boolean
}

/** 256 random bits. */
export const randomToken = (): string => randomBytes(32).toString('base64url')

/**
 * Stores the secrets of a flow.
 * @param linking whose account it adds an identity to. Without, it logs in
 */
export async function createFlow(
  ctx: Context,
  tx: Transaction,
  { name: provider }: Provider,
  asked: Asked,
  { isProved, ...owner }: { user?: User; sessionId?: number; isProved?: boolean } = {},
): Promise<Flow> {
  const secrets = { state: randomToken(), nonce: randomToken(), verifier: randomToken() }
  const data: Flow = { ...asked, ...secrets, provider, ...(isProved !== undefined && { isProved }) }
  const token = hashToken(secrets.state)
  await insertToken(ctx, tx, { ...owner, token, purpose, data, lifetimeMs: flowSeconds * 1000 })
  return data
}

/**
 * Leads a browser to the provider of a flow, and binds the flow to it.
 * @param cookies its Cookie header
 * @returns where it goes, and the Set-Cookie headers for its way back
 */
export async function leadToProvider(
  { config }: Context,
  provider: Provider,
  configuration: Configuration,
  flow: Flow,
  cookies: string | undefined,
): Promise<{ url: string; cookies: string[] }> {
  const { state, nonce, verifier } = flow
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await openidClient()
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: provider.redirectUri,
    scope: provider.scopes,
    state,
    // Not for OAuth 2, which has no id_token to find it in.
    ...(!provider.api && { nonce }),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const name = cookieName(config, state)
  const others = [...readCookies(config, cookies).keys()].filter((each) => each !== name)
  // Browsers send the oldest first (RFC 6265, section 5.4).
  const dropped = others.slice(0, 1 - maxFlows).map((each) => writeCookie(each, '', 0))
  return { url: url.href, cookies: [writeCookie(name, cookieValue(flow), flowSeconds), ...dropped] }
}

/**
 * Finds a flow that adds an identity, for the browser that opens its address.
 * @throws FlowError invalid_answer
 */
export async function findLink(ctx: Context, provider: Provider, state: string): Promise<Flow> {
  const row = await findToken(ctx, ctx.db.read, purpose, [hashToken(state)])
  // A login belongs to the browser that began it, and to no other.
  return flowIn(row?.sessionId === null ? undefined : row, provider)
}

/**
 * Uses up the flow of an answer: none counts twice.
 * @param cookies the Cookie header of the browser
 * @returns the row, what it contains, and the Set-Cookie header that deletes its cookie
 * @throws FlowError invalid_answer
 */
export async function takeFlow(
  ctx: Context,
  provider: Provider,
  state: string,
  cookies: string | undefined,
): Promise<{ row: SignInToken; flow: Flow; cookie: string }> {
  const row = await ctx.db.transaction((tx) => takeToken(ctx, tx, purpose, hashToken(state)))
  const flow = flowIn(row, provider)
  const name = cookieName(ctx.config, state)
  // Otherwise an attacker could finish their own flow in the browser of somebody else (login CSRF, session fixation).
  const isOfBrowser = readCookies(ctx.config, cookies).get(name) === cookieValue(flow)
  if (!row || !isOfBrowser) throw new FlowError('invalid_answer')
  return { row, flow, cookie: writeCookie(name, '', 0) }
}

/** @throws FlowError invalid_answer */
function flowIn(row: SignInToken | undefined, { name }: Provider): Flow {
  const flow: Flow | undefined = row && JSON.parse(row.data)
  if (flow?.provider !== name) throw new FlowError('invalid_answer')
  return flow
}

/** With `__Host-`, no other subdomain and no page over http can set one; in development on this machine there is no https. */
function prefixOf(config: Config): string {
  const isSecure = config.server.isProduction || routeOf(config, '').startsWith('https:')
  return isSecure ? '__Host-oidc-' : 'oidc-'
}

/** Of the verifier, because no address contains it. */
const cookieValue = ({ verifier }: Flow): string => hashToken(`cookie ${verifier}`)

/** One cookie a flow: two flows in one browser do not meet. */
const cookieName = (config: Config, state: string): string =>
  `${prefixOf(config)}${hashToken(state).slice(0, 16)}`

/** Lax: the provider sends the browser back by a link. */
function writeCookie(name: string, value: string, seconds: number): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** The cookies of flows in a Cookie header, in its order. */
const readCookies = (config: Config, header = ''): Map<string, string> =>
  new Map(
    header.split(/; */).flatMap((pair) => {
      const [name = '', value = ''] = pair.split('=')
      return name.startsWith(prefixOf(config)) ? [[name, value]] : []
    }),
  )
