import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Received } from './http-server.ts'
import { startServer } from './http-server.ts'

type Json = Record<string, unknown>

export const clientId = 'my-client'
export const clientSecret = 'secret of the client'

/** How a provider lies. Each gets the right answer, and returns what is sent. */
export interface Lies {
  /** The discovery document. */
  metadata?: (right: Json) => Json
  /** The query with which it sends the browser back. */
  answer?: (right: URLSearchParams) => URLSearchParams | undefined
  claims?: (right: Json) => Json
  header?: (right: Json) => Json
  /** The id_token as it is sent. */
  idToken?: (right: string) => string
  /** The answer of the token endpoint. */
  tokens?: (right: Json) => Json
  userinfo?: (right: Json) => Json
  /** Answers a request instead. @returns whether it did */
  respond?: (request: Received, response: ServerResponse) => boolean
}

/** An account at the provider. */
export interface Account {
  sub: string
  [claim: string]: unknown
}

const newKey = (kid: string = randomUUID()) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256' } }
}

/** A JWT (RFC 7515), with whatever header and claims. */
export function encodeJwt(header: Json, claims: Json, signature: (text: string) => Buffer): string {
  const [head, body] = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const text = `${head}.${body}`
  return `${text}.${signature(text).toString('base64url')}`
}

/** An OpenID provider on this machine, which is right in all that `lies` does not change. */
export async function startProvider(onFinished?: Parameters<typeof startServer>[1]) {
  const codes = new Map<string, { query: URLSearchParams; account: Account }>()
  const state = {
    lies: {} as Lies,
    account: {
      sub: 'at-provider-1',
      email: 'olga@example.com',
      email_verified: true,
      preferred_username: 'olga',
    } as Account,
    key: newKey(),
    origin: '',
    requests: [] as Received[],
    /** What it has handed out. */
    issued: [] as string[],
    rotateKey() {
      state.key = newKey()
    },
    /** What a browser does at the authorization endpoint. @returns the query of the callback */
    authorize(location: string): string {
      const { searchParams: query } = new URL(location)
      const code = randomUUID()
      codes.set(code, { query, account: { ...state.account } })
      state.issued.push(code)
      const right = new URLSearchParams({ code, state: query.get('state') ?? '', iss: state.origin })
      return `?${state.lies.answer?.(right) ?? right}`
    },
  }

  function signed({ query, account }: { query: URLSearchParams; account: Account }) {
    const now = Math.floor(Date.now() / 1000)
    const right = {
      iss: state.origin,
      aud: clientId,
      nonce: query.get('nonce'),
      iat: now,
      exp: now + 300,
      ...account,
    }
    const { claims = (given) => given, header = (given) => given, idToken = (given) => given } = state.lies
    const { kid, privateKey } = state.key
    const signature = (text: string) =>
      sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return idToken(encodeJwt(header({ alg: 'ES256', kid }), claims(right), signature))
  }

  function tokens({ body, headers }: Received): Json | undefined {
    const given = new URLSearchParams(body)
    const code = given.get('code') ?? ''
    const known = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url')
    const basic = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString()
    // As a form encodes them (RFC 6749 section 2.3.1).
    const isRight =
      decodeURIComponent(basic.replaceAll('+', ' ')) === `${clientId}:${clientSecret}` &&
      known?.query.get('code_challenge') === challenge &&
      known.query.get('redirect_uri') === given.get('redirect_uri')
    if (!known || !isRight) return undefined
    const access_token = randomUUID()
    codes.set(access_token, known)
    const id_token = signed(known)
    state.issued.push(access_token, id_token, 'refresh-token-of-provider')
    const right = {
      access_token,
      token_type: 'Bearer',
      expires_in: 60,
      refresh_token: 'refresh-token-of-provider',
      id_token,
    }
    return state.lies.tokens?.(right) ?? right
  }

  const metadata = () => ({
    issuer: state.origin,
    authorization_endpoint: `${state.origin}/authorize`,
    token_endpoint: `${state.origin}/token`,
    userinfo_endpoint: `${state.origin}/userinfo`,
    jwks_uri: `${state.origin}/jwks`,
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
  })

  const send = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  const server = await startServer(async (request, response) => {
    if (state.lies.respond?.(request, response)) return
    const { url, headers } = request
    if (url === '/.well-known/openid-configuration')
      return send(response, state.lies.metadata?.(metadata()) ?? metadata())
    if (url === '/jwks') return send(response, { keys: [state.key.jwk] })
    if (url === '/token') {
      const answer = tokens(request)
      return send(response, answer ?? { error: 'invalid_grant' }, answer ? 200 : 400)
    }
    const account = codes.get(headers.authorization?.replace('Bearer ', '') ?? '')?.account
    if (url === '/userinfo' && account) return send(response, state.lies.userinfo?.(account) ?? account)
    return send(response, {}, 404)
  }, onFinished)
  state.origin = server.origin
  state.requests = server.requests
  return state
}

export type TestProvider = Awaited<ReturnType<typeof startProvider>>

/** The settings of a service that trusts it, under a name. */
export const settingsOf = (provider: { origin: string }, name = 'acme') => ({
  OIDC_PROVIDERS: name,
  [`OIDC_${name.toUpperCase()}_ISSUER`]: provider.origin,
  [`OIDC_${name.toUpperCase()}_CLIENT_ID`]: clientId,
  [`OIDC_${name.toUpperCase()}_CLIENT_SECRET`]: clientSecret,
})
