import { verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'

/** bcrypt reads this many bytes and ignores the rest. */
export const bcryptMaxBytes = 72

/** Whether the password belongs to the hash, argon2id or bcrypt: users stay when the service changes its algorithm. */
export async function verifyHash(password: string, storedHash: string): Promise<boolean> {
  if (storedHash.startsWith('$argon2')) return verifyArgon2(storedHash, password)
  const matches = await verifyBcrypt(password, storedHash)
  // Whoever knows the first 72 bytes of a long password would get in with any ending.
  return matches && Buffer.byteLength(password) <= bcryptMaxBytes
}
