import { createHmac } from 'node:crypto'

/** Decodes a genuine token, so that tests can change it. */
export function takeApart(token: string) {
  const [header, payload, signature] = token.split('.')
  const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
  return {
    header: decode(header) as Record<string, unknown>,
    payload: decode(payload) as Record<string, unknown> & { iat: number; exp: number; user_id: number },
    parts: [header, payload, signature] as [string, string, string],
  }
}

/** Encodes a part of a token: an object, or JSON text that an object cannot express. */
export const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** Builds a token from a header and a payload, signed with HMAC. */
export function sign(header: unknown, payload: unknown, secret: string, hash = 'sha256'): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
}
