import { parseOptions } from '@node-rs/argon2'
import { isForeignHash } from '../additions/foreign-hashes.ts'
import { formatPhc } from '../passwords/foreign/phc.ts'
import { isUsableHash, unusablePassword } from '../passwords/hashes.ts'

/** What a hash may cost, so that verifying it takes at most about two seconds and 256 MiB. */
export const bounds =
  'bcrypt cost 4 to 14; argon2 up to 256 MiB, 2 GiB times passes and 16 threads; pbkdf2 up to 2,500,000 iterations; scrypt up to 256 MiB and N·r·p 4,194,304; phpass up to 262,144 rounds'

/** KiB, and KiB times passes. */
const [maxArgon2Memory, maxArgon2Work] = [2 ** 18, 2 ** 21]

/** The alphabet of crypt(3), in which phpass writes bytes, six bits from the lowest at a time. */
const crypt64 = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const base64 = (text: string) => Buffer.from(text.replaceAll('.', '+'), 'base64')

type Converter = [pattern: RegExp, convert: (...groups: string[]) => string | undefined]

/** The forms in which other systems write hashes, and how they are stored. */
const converters: Converter[] = [
  // Django.
  [/^argon2(\$argon2.*)$/s, (hash) => hash],
  [/^bcrypt\$(\$2.*)$/s, (hash) => hash],
  [/^bcrypt_sha256\$\$2[aby](\$.*)$/s, (hash) => `$bcrypt-sha256${hash}`],
  [
    /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,8})\$([^$]{1,128})\$([\w+/]+=*)$/,
    (digest, i, salt, hash) => pbkdf2(digest, i, Buffer.from(salt), base64(hash)),
  ],
  [
    /^scrypt\$(\d{1,8})\$([^$]{1,128})\$(\d{1,4})\$(\d{1,4})\$([\w+/]+=*)$/,
    (n, salt, r, p, hash) => scrypt('scrypt', Math.log2(Number(n)), [r, p], Buffer.from(salt), base64(hash)),
  ],
  // The PHC string format, and Passlib's, which leaves the name out and writes `.` for `+`.
  [
    /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,8})(?:,l=\d+)?\$([\w+/.]*)\$([\w+/.]+)$/,
    (digest, i, salt, hash) => pbkdf2(digest || 'sha1', i, base64(salt), base64(hash)),
  ],
  [
    /^\$((?:firebase-)?scrypt)\$ln=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})\$([\w+/.]*)\$([\w+/.]+)$/,
    (id, ln, r, p, salt, hash) => scrypt(id, Number(ln), [r, p], base64(salt), base64(hash)),
  ],
  // Supabase, of users that came from Firebase: each hash contains the key of the project, with which scrypt's key is encrypted.
  [
    /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})(?:,ss=([\w+/]+=*))?,sk=([\w+/]+=*)\$([\w+/]+=*)\$([\w+/]+=*)$/,
    (ln, r, p, separator, signer, salt, hash) => {
      const [key, salted] = [base64(signer), Buffer.concat([base64(salt), base64(separator)])]
      const stream = base64(hash).map((byte, at) => byte ^ (key[at] ?? 0))
      return scrypt('supabase-scrypt', Number(ln), [r, p], salted, Buffer.from(stream))
    },
  ],
  // WordPress since 6.8.
  [/^\$wp\$2[aby](\$.*)$/s, (hash) => `$bcrypt-hmac-sha384${hash}`],
  [
    /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/,
    (rounds, salt, hash) =>
      formatPhc({
        id: 'phpass',
        cost: { ln: crypt64.indexOf(rounds) },
        salt: Buffer.from(salt),
        hash: fromCrypt64(hash),
      }),
  ],
]

/**
 * The stored form of a hash of another system.
 * @returns undefined if the hash is of no known kind, damaged, or beyond `bounds`
 */
export function toStoredHash(text: string): string | undefined {
  if (text === unusablePassword) return undefined
  let hash: string | undefined = text
  for (const [pattern, convert] of converters) {
    const groups = pattern.exec(text)
    if (!groups) continue
    hash = convert(...groups.slice(1).map((group) => group ?? ''))
    break
  }
  if (hash === undefined || !(isUsableHash(hash) || isForeignHash(hash))) return undefined
  return isAffordable(hash) ? hash : undefined
}

/** The settings of this service may be higher. A hash from outside may not: anyone can have written the file. */
function isAffordable(storedHash: string): boolean {
  const [, bcryptCost] = /^\$2[abxy]?\$(\d\d)/.exec(storedHash) ?? []
  if (bcryptCost !== undefined) return Number(bcryptCost) <= 14
  if (!storedHash.startsWith('$argon2')) return true
  const { memoryCost, timeCost } = parseOptions(storedHash)
  return memoryCost <= maxArgon2Memory && memoryCost * timeCost <= maxArgon2Work
}

const pbkdf2 = (digest: string, iterations: string, salt: Buffer, hash: Buffer) =>
  formatPhc({ id: `pbkdf2-${digest}`, cost: { i: Number(iterations) }, salt, hash })

const scrypt = (id: string, ln: number, [r, p]: [string, string], salt: Buffer, hash: Buffer) =>
  Number.isInteger(ln) ? formatPhc({ id, cost: { ln, r: Number(r), p: Number(p) }, salt, hash }) : undefined

function fromCrypt64(text: string): Buffer {
  const bits = Array.from(text, (letter) => crypt64.indexOf(letter).toString(2).padStart(6, '0'))
  const number = BigInt(`0b${bits.reverse().join('')}`)
  return Buffer.from(number.toString(16).padStart(34, '0').slice(-32), 'hex').reverse()
}
