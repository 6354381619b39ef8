import { expect, test } from 'vitest'
import type { Hashing } from '../../src/passwords/credentials.ts'
import { hashPassword } from '../../src/passwords/hashes.ts'
import { changeUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

const argon2 =
  '$argon2id$v=19$m=64,t=1,p=1$bim9V3g0iGdUNli6o0a/Iw$iyYNJuPxBbrJY4OuCqLgcSfy3HVlvzpz03CQ0TIHft4'
const bcrypt = '$2b$12$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW'

// bcrypt and argon2 take different times: an attacker could tell users of the former profile from unknown names.
test('a login verifies one hash of each kind, whatever hash the user has', async () => {
  const kinds: string[] = []
  const hashing: Hashing = {
    hash: hashPassword,
    verify: async (_password, storedHash) => {
      kinds.push(storedHash.startsWith('$argon2') ? 'argon2' : 'bcrypt')
      return false
    },
  }
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' }, false, { hashing })
  const { id } = await register(app)
  for (const [name, hashedPassword] of [
    ['nobody', argon2],
    ['alice', argon2],
    ['alice', bcrypt],
    ['alice', 'damaged'],
  ] as const) {
    await changeUser(app, id, { hashedPassword })
    await tryLogIn(app, name, 'Wrong-Horse-7')
    expect(kinds.splice(0).sort()).toEqual(['argon2', 'bcrypt'])
  }
})
