import { createPace } from '../foreign/pace.ts'
import { pbkdf2 } from '../foreign/pbkdf2.ts'
import { phpass } from '../foreign/phpass.ts'
import { prehashedBcrypt } from '../foreign/prehashed-bcrypt.ts'
import { firebaseScrypt, scrypt } from '../foreign/scrypt.ts'
import type { HashFormat } from '../hashes.ts'

const kinds = [pbkdf2, scrypt, firebaseScrypt, phpass, prehashedBcrypt]

/** How other services hashed passwords. A login verifies such a hash, and then replaces it. */
export const imported: HashFormat = {
  isUsable: (storedHash) => kinds.some((kind) => kind.parse(storedHash) !== undefined),
  create: (config) => ({
    verify: async (password, storedHash) => {
      for (const { parse, matches } of kinds) {
        const parsed = parse(storedHash)
        if (parsed) return matches(password, parsed, config)
      }
      return false
    },
    pace: createPace(),
  }),
}
