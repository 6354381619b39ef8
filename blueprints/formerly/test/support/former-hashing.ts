import type { Hashing } from '../../src/passwords/credentials.ts'
import { formerDummyHash } from '../../src/passwords/former-hash.ts'
import { hashPassword, verifyHash } from '../../src/passwords/hashes.ts'

/** Hashes as the service does, but without the dummy of the former profile, which has its full cost in tests too. */
export const formerHashing: Hashing = {
  hash: hashPassword,
  verify: async (password, storedHash) => storedHash !== formerDummyHash && verifyHash(password, storedHash),
}
