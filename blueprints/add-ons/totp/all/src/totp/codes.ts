import { createHmac, timingSafeEqual } from 'node:crypto'

/** The codes of authenticator apps: RFC 6238 with SHA-1, six digits and steps of 30 seconds, which all apps can. */

const stepMs = 30_000
const digits = 6

/** RFC 4648 section 6. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Bytes as people type them into an app. A multiple of 5, so that there is no padding. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => alphabet.charAt(Number.parseInt(five, 2)))
}

function bytesOf(secret: string): Buffer {
  const bits = secret.replaceAll(/./g, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code of a secret in base32 in a step (RFC 4226 section 5.3). */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const offset = hash.readUInt8(hash.length - 1) & 0xf
  const number = (hash.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

/** The step of a code, at most one before or after the current one: clocks differ, and typing takes time. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const typed = Buffer.from(code.replaceAll(' ', ''))
  const current = Math.floor(now / stepMs)
  return [current, current - 1, current + 1].find((step) => {
    const right = Buffer.from(codeAt(secret, step))
    return right.length === typed.length && timingSafeEqual(right, typed)
  })
}
