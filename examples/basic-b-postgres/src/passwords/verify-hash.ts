import { verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'

/** bcrypt ignores all bytes after this many. */
export const bcryptMaxBytes = 72

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
