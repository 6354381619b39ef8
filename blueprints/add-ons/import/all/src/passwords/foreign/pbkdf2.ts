import { pbkdf2 as derive } from 'node:crypto'
import { promisify } from 'node:util'
import { type HashKind, isEqual, parsePhc } from './phc.ts'

/** The digest and its bytes. Longer hashes are more of these, which a thief need not compute either. */
const digests: Record<string, [name: string, bytes: number]> = {
  'pbkdf2-sha1': ['sha1', 20],
  'pbkdf2-sha256': ['sha256', 32],
  'pbkdf2-sha512': ['sha512', 64],
}

/** Twice what Django 6.0 does, and Keycloak at most. */
const maxIterations = 2_500_000

/** RFC 8018 section 5.2, as Django, Keycloak and Passlib store it. */
export const pbkdf2: HashKind = {
  parse(storedHash) {
    const parsed = parsePhc(storedHash)
    const iterations = parsed?.cost.i ?? 0
    const isAffordable = iterations >= 1 && iterations <= maxIterations
    return parsed && Object.hasOwn(digests, parsed.id) && isAffordable ? parsed : undefined
  },
  async matches(password, { id, cost, salt, hash }) {
    const [digest, bytes] = digests[id] ?? ['', 0]
    const expected = hash.subarray(0, bytes)
    const derived = await promisify(derive)(password, salt, cost.i ?? 0, expected.length, digest)
    return isEqual(derived, expected)
  },
}
