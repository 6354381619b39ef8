import { parseOptions, verify as verifyArgon2 } from '@node-rs/argon2'
import { hash, verify as verifyBcrypt } from '@node-rs/bcrypt'
import type { Config } from '../config.ts'

type Settings = Config['credentials']

/** Stored instead of a hash: no password matches. */
export const unusablePassword = '!'

/** bcrypt ignores all bytes after this many. */
export const bcryptMaxBytes = 72

/** Hashes a password in NFC with bcrypt. */
export async function hashPassword(password: string, settings: Settings): Promise<string> {
  if (Buffer.byteLength(password) > bcryptMaxBytes)
    throw new RangeError('A password over 72 bytes reached bcrypt unchecked')
  return hash(password, settings.bcryptCost)
}

/** What to verify for a name that does not exist: a hash without a known password that takes as long as those of these settings. */
export const dummyHash = ({ bcryptCost }: Settings): string =>
  `$2y$${String(bcryptCost).padStart(2, '0')}$punjIzmejvPvlP7nBX28y.Mmfs.m3oyAUXUuG.jp6BO2u.jS0ek16`

/** Whether a stored hash is at least as strong as a new one from `hashPassword`. */
export function isCurrentHash(storedHash: string, settings: Settings): boolean {
  const [, cost] = /^\$2[aby]\$(\d\d)\$/.exec(storedHash) ?? []
  return Number(cost) >= settings.bcryptCost
}

/** The cost, 22 characters of salt and 31 of hash. The last one of the salt carries only two bits. */
const bcryptPattern = /^\$2[abxy]?\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31}$/

/**
 * Whether a stored hash can be verified, and costs no more than the settings allow. One that was tampered with may be
 * damaged (500), or ask for terabytes or hours.
 */
export function isUsableHash(storedHash: string): boolean {
  const [, bcryptCost] = bcryptPattern.exec(storedHash) ?? []
  if (bcryptCost !== undefined) return Number(bcryptCost) >= 4 && Number(bcryptCost) <= 16
  try {
    const { memoryCost, timeCost, parallelism } = parseOptions(storedHash)
    return memoryCost <= 1_048_576 && timeCost <= 16 && parallelism <= 16
  } catch {
    return false
  }
}

/** Whether the password matches an argon2 or bcrypt hash. Passwords stay valid when the profile changes. */
export async function verifyHash(
  password: string,
  storedHash: string,
  { argon2, bcrypt } = { argon2: verifyArgon2, bcrypt: verifyBcrypt },
): Promise<boolean> {
  if (storedHash.startsWith('$argon2')) return argon2(storedHash, password)
  const matches = await bcrypt(password, storedHash)
  // Otherwise the first 72 bytes of a long password, with any ending, would be accepted.
  return matches && Buffer.byteLength(password) <= bcryptMaxBytes
}
