import type { Config } from '../config.ts'
import type { Addition } from '../context.ts'
import { createPace } from '../passwords/foreign/pace.ts'
import { pbkdf2 } from '../passwords/foreign/pbkdf2.ts'
import { phpass } from '../passwords/foreign/phpass.ts'
import { prehashedBcrypt } from '../passwords/foreign/prehashed-bcrypt.ts'
import { firebaseScrypt, scrypt, supabaseScrypt } from '../passwords/foreign/scrypt.ts'
import { normalizePassword } from '../passwords/rules.ts'

const kinds = [pbkdf2, scrypt, firebaseScrypt, supabaseScrypt, phpass, prehashedBcrypt]

/** Whether a stored hash is neither argon2 nor bcrypt, intact, and costs no more than the machine can take. */
export const isForeignHash = (storedHash: string): boolean =>
  kinds.some(({ parse }) => parse(storedHash) !== undefined)

/** Verifies such a hash, off the event loop. Undefined for any other. */
function verifierOf(
  storedHash: string,
  config: Config,
): ((password: string) => Promise<boolean>) | undefined {
  for (const { parse, matches } of kinds) {
    const parsed = parse(storedHash)
    if (parsed) return async (password) => matches(password, parsed, config)
  }
  return undefined
}

/** As long as `normalizePassword` composes. */
const decompose = (password: string) => (password.length > 1024 ? password : password.normalize('NFD'))

/** How the service and the old system may have hashed a password. macOS decomposes, Windows composes. Depends on it alone. */
const spellingsOf = (password: string) =>
  new Set([normalizePassword(password), decompose(password), password])

/** Users of other services log in with the password that they have there. A login verifies such a hash, and then replaces it. */
export const foreignHashes: Addition = ({ credentials, config }) => {
  const { isUsable, queue, verifyHash } = credentials
  const pace = createPace()
  credentials.isUsable = (hash) => isUsable(hash) || isForeignHash(hash)
  credentials.matches = async (password, hash, address) => {
    const verify = verifierOf(hash, config) ?? ((password: string) => verifyHash(password, hash))
    let matches = false
    // All of them, for every name: the time would reveal which one matched, and who was imported.
    for (const spelling of spellingsOf(password)) {
      let ms = 0
      const isRight = await queue(async () => {
        const startedAt = performance.now()
        const verified = await verify(spelling)
        ms = performance.now() - startedAt
        return verified
      }, address)
      matches ||= isRight
      await pace(hash, ms, address === undefined)
    }
    return matches
  }
}
