import { createHmac } from 'node:crypto'

/** What a genuine token says, for tests to change. */
export function takeApart(token: string) {
  const [header, payload, signature] = token.split('.')
  const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
  return {
    header: decode(header) as Record<string, unknown>,
    payload: decode(payload) as Record<string, unknown> & { iat: number; exp: number; user_id: number },
    parts: [header, payload, signature] as [string, string, string],
  }
}

/** A part of a token: an object, or JSON text where an object cannot say it. */
export const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** A token with a header, a payload, and the HMAC of both. */
export function sign(header: unknown, payload: unknown, secret: string, hash = 'sha256'): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
}
