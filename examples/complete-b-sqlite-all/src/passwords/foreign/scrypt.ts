import { type BinaryLike, createCipheriv, scrypt as derive, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'
import { type HashKind, isEqual, type ParsedHash, parsePhc } from './phc.ts'

const deriveKey = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(derive)

/** N · r: 256 MiB. The OWASP recommendation takes half of it. */
const maxMemory = 2 ** 21

/** N · r · p, in blocks of 128 bytes. */
const maxWork = 2 ** 22

/** A hash with the costs ln (log2 of N), r and p that is within the limits. */
function parseScrypt(storedHash: string, expected: string): ParsedHash | undefined {
  const parsed = parsePhc(storedHash)
  const { ln = 0, r = 0, p = 0 } = parsed?.cost ?? {}
  const isAffordable = ln >= 1 && ln <= 20 && 2 ** ln * r <= maxMemory && 2 ** ln * r * p <= maxWork
  return parsed?.id === expected && r >= 1 && p >= 1 && isAffordable ? parsed : undefined
}

/** @returns `bytes` bytes */
const scryptKey = (password: string, { cost, salt }: ParsedHash, bytes: number): Promise<Buffer> => {
  const { ln = 0, r = 0, p = 0 } = cost
  const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r + 1024 * r * p + 65_536 }
  return deriveKey(password, salt, bytes, options)
}

/** RFC 7914. */
export const scrypt: HashKind = {
  parse: (storedHash) => parseScrypt(storedHash, 'scrypt'),
  matches: async (password, parsed) =>
    isEqual(await scryptKey(password, parsed, parsed.hash.length), parsed.hash),
}

/** Firebase encrypts its project's key with a key made by scrypt (github.com/firebase/scrypt). */
const firebaseCipher = async (password: string, parsed: ParsedHash) =>
  createCipheriv('aes-256-ctr', await scryptKey(password, parsed, 32), Buffer.alloc(16))

export const firebaseScrypt: HashKind = {
  parse: (storedHash) => parseScrypt(storedHash, 'firebase-scrypt'),
  async matches(password, parsed, { imports }) {
    const cipher = await firebaseCipher(password, parsed)
    // Without the setting nobody can log in, in the same time.
    const signerKey = Buffer.from(imports.signerKey ?? '', 'base64')
    return isEqual(cipher.update(signerKey).subarray(0, parsed.hash.length), parsed.hash)
  },
}

/** The same without the project's key, which Supabase has in each hash: what it is encrypted with is stored. */
export const supabaseScrypt: HashKind = {
  parse: (storedHash) => parseScrypt(storedHash, 'supabase-scrypt'),
  async matches(password, parsed) {
    const cipher = await firebaseCipher(password, parsed)
    return isEqual(cipher.update(Buffer.alloc(parsed.hash.length)), parsed.hash)
  },
}
