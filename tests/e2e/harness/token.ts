import { createHmac } from 'node:crypto'

export type Claims = Record<string, unknown>

export interface Token {
  header: Claims
  payload: Claims
}

/** Decodes a JWT (RFC 7519) without verifying it, as any client can. */
export function decodeToken(token: string): Token {
  const [header = '', payload = ''] = token.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  return { header: read(header), payload: read(payload) }
}

/** Signs a JWT with HMAC, as an attacker or another service would. `alg: none` leaves the signature empty. */
export function signToken({ header, payload }: Token, secret: string): string {
  const part = (value: Claims) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${part(header)}.${part(payload)}`
  if (header.alg === 'none') return `${content}.`
  const hash = `sha${String(header.alg).slice(2)}`
  return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`
}
