import { createHmac } from 'node:crypto'

/** What an authenticator app shows (RFC 6238): six digits, SHA-1, steps of 30 seconds. */

const stepMs = 30_000

/** RFC 4648 section 6. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** @param {number} now */
export const stepAt = (now) => Math.floor(now / stepMs)

/** @param {string} secret in base32 @param {number} step */
export function codeOf(secret, step) {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', key).update(counter).digest()
  const number = hash.readUInt32BE(hash.readUInt8(hash.length - 1) & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** The step of a code, at most one from now. @param {string} secret @param {string} code @param {number} now */
export const stepOfCode = (secret, code, now) =>
  [0, -1, 1].map((drift) => stepAt(now) + drift).find((step) => codeOf(secret, step) === code)
