import { expect, test } from 'vitest'
import { isForeignHash } from '../../src/additions/foreign-hashes.ts'
import { toStoredHash } from '../../src/import/stored-hash.ts'
import { changeUser, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { importedLine, importLines } from '../support/import.ts'

const salt = 'vnfOWcsZ45xzjtG6lzIm5A'
const hash = 'Bj45vGXWCVCL6i7Og0w9artcauDGphzL/aLUpkX6VTM'
const bcrypt = 'P1bvNdZHjl2hDTHtCY40k.3SNwm25NMv31oyJolLPSOOAC3EYzg0O'
const argon2 = (cost: string) => `$argon2id$v=19$${cost}$${salt}$${hash}`

/** The most that is accepted of a kind, and what costs more. */
const kinds: [most: string, ...more: string[]][] = [
  [argon2('m=262144,t=8,p=1'), argon2('m=262144,t=9,p=1'), argon2('m=262145,t=1,p=1')],
  [argon2('m=131072,t=16,p=16'), argon2('m=64,t=17,p=1'), argon2('m=1024,t=1,p=17')],
  ...['$2b$', '$2y$', '$2a$', 'bcrypt$$2b$', 'bcrypt_sha256$$2b$', '$wp$2y$'].map(
    (prefix): [string, string, string] => [
      `${prefix}14$${bcrypt}`,
      `${prefix}15$${bcrypt}`,
      `${prefix}31$${bcrypt}`,
    ],
  ),
  ...['pbkdf2_sha256$N$seasalt$', 'pbkdf2_sha512$N$seasalt$', `$pbkdf2-sha512$i=N$${salt}$`].map(
    (prefix): [string, string, string] => [
      prefix.replace('N', '2500000') + hash,
      prefix.replace('N', '2500001') + hash,
      prefix.replace('N', '0') + hash,
    ],
  ),
  // Memory: N · r; time: also p.
  [
    `$scrypt$ln=18,r=8,p=2$${salt}$${hash}`,
    `$scrypt$ln=19,r=8,p=1$${salt}$${hash}`,
    `$scrypt$ln=18,r=8,p=3$${salt}$${hash}`,
    `$scrypt$ln=14,r=1024,p=1$${salt}$${hash}`,
    `$scrypt$ln=10,r=0,p=1$${salt}$${hash}`,
  ],
  [
    `scrypt$131072$seasalt$8$1$${hash}`,
    `scrypt$1048576$seasalt$8$1$${hash}`,
    `scrypt$131071$seasalt$8$1$${hash}`,
  ],
  [`$firebase-scrypt$ln=14,r=8,p=1$${salt}$${hash}`, `$firebase-scrypt$ln=20,r=8,p=1$${salt}$${hash}`],
  // 2 ** 18 rounds, 2 ** 19, 2 ** 30, and 2 ** 6.
  [
    '$P$GCoRBJYlJ6rX9sNo98riZQAb.BNjzU1',
    ...['H', 'S', '4'].map((n) => `$P$${n}CoRBJYlJ6rX9sNo98riZQAb.BNjzU1`),
  ],
]

test.each(kinds)('%s is accepted, and what costs more is refused with the reason', async (most, ...more) => {
  const app = await createTestApp()
  expect(app.ctx.credentials.isUsable(toStoredHash(most) ?? ''), most).toBe(true)
  const lines = more.map((text, at) => importedLine(`user${at}`, { hashed_password: text }))
  const refused = await importLines(app, lines).catch((error) => error.message.split('\n'))
  expect(refused).toHaveLength(more.length + 1)
  for (const reason of refused.slice(0, -1))
    expect(reason).toMatch(
      /^Line \d: hashed_password: Damaged, or takes too long to verify: bcrypt cost 4 to 14;/,
    )
})

// Whoever can write to the database must not stop the service either.
test.each([
  `$pbkdf2-sha256$i=99999999$${salt}$${hash}`,
  `$scrypt$ln=20,r=8,p=1$${salt}$${hash}`,
  `$scrypt$ln=10,r=8,p=9999$${salt}$${hash}`,
  `$phpass$ln=30$Q29SQkpZbEo$${salt}`,
  `$bcrypt-sha256$31$${bcrypt}`,
  `$pbkdf2-sha256$i=1$${salt}$AAAA`,
  `$constructor$i=1$${salt}$${hash}`,
])('%s is not verified when it is stored', async (storedHash) => {
  expect(isForeignHash(storedHash)).toBe(false)
  const app = await createTestApp()
  const { id } = await register(app)
  await changeUser(app, id, { hashedPassword: storedHash })
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(401)
})

// One byte would match every 256th password.
test.each([
  'pbkdf2_sha256$1$seasalt$AA==',
  `$pbkdf2-sha256$i=1$${salt}$AAAAAAAAAAAAAAAAAAAA`,
  'pbkdf2_sha1$1$a$AAAA',
])('the short hash %s is refused', (text) => {
  expect(toStoredHash(text)).toBeUndefined()
})
