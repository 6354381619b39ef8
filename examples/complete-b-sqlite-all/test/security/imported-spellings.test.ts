import { expect, test } from 'vitest'
import type { Hashing } from '../../src/passwords/credentials.ts'
import { phpass } from '../../src/passwords/foreign/phpass.ts'
import { asInWordPress } from '../../src/passwords/foreign/wordpress.ts'
import { hashPassword, verifyHash } from '../../src/passwords/hashes.ts'
import { register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { importedLine, importLines } from '../support/import.ts'

/** Of one password, decomposed and composed. */
const hashes = {
  'bcrypt-nfd': '$2y$04$mtEym02XZhvZQ0VEdDjHOu028rOQP0VGJojrGoCOauOrXJpVNQH3G',
  'argon2-nfd':
    '$argon2id$v=19$m=64,t=1,p=1$hW7RVpvStP9sRVADlBVuKw$85fPeoCQut8znsOtv9MTuWJozQg2lN/WPCHZ1TsbafE',
  'pbkdf2-nfd': 'pbkdf2_sha256$1000$saltsalt$uOsZHfZuCOFg8o58dx6fFIk2EzFxfo/8CSQEHQPCzXc=',
  'bcrypt-nfc': '$2y$04$MU/Qk5vO/bNpLVmDe74MbuJxKs0c3oZYlrNeB1KaEytq61IF8WDEu',
  'argon2-nfc':
    '$argon2id$v=19$m=64,t=1,p=1$wrkM/mdmffeV7RjkQGyWLQ$u04Pp7vJl3V1LYdwZrcTfW7knI99ya3DgbNToJs6ccU',
  'pbkdf2-nfc': 'pbkdf2_sha256$1000$saltsalt$CwaW2A0L5MNnYNizxBMNHdlWw3+aKv/2i9j2l0zZVv4=',
}
const composed = 'Tiếng-Việt-7'.normalize('NFC')

test.each(['NFC', 'NFD'])('a password typed in %s matches whatever form was hashed', async (form) => {
  const app = await createTestApp()
  await importLines(
    app,
    Object.entries(hashes).map(([name, hash]) => importedLine(name, { hashed_password: hash })),
  )
  for (const name of Object.keys(hashes))
    expect((await tryLogIn(app, name, composed.normalize(form))).statusCode, name).toBe(200)
})

// Otherwise the time would reveal who was imported, or which form matched.
test('a password is verified in as many forms for every name', async () => {
  const verified: string[] = []
  const verify: Hashing['verify'] = (password, hash) => {
    verified.push(password)
    return verifyHash(password, hash)
  }
  const app = await createTestApp({}, false, { hashing: { hash: hashPassword, verify } })
  await register(app, 'own', composed)
  await importLines(app, [importedLine('imported', { hashed_password: hashes['argon2-nfd'] })])
  for (const name of ['own', 'imported', 'nobody']) {
    verified.length = 0
    await tryLogIn(app, name, composed)
    expect(verified, name).toEqual([composed, composed.normalize('NFD')])
  }
})

// Hashed by WordPress's forms, which put backslashes before quotes.
test('a password with quotes matches a hash of WordPress', async () => {
  const app = await createTestApp()
  const parsed = phpass.parse('$phpass$ln=7$YWJjZGVmZ2g$+QtcKCcxs00o4uSSeZfMKg')
  if (!parsed) throw new Error('The hash is refused')
  expect(await phpass.matches(`it's-"So"-7`, parsed, app.config)).toBe(true)
  expect(await phpass.matches(`it's-"So"-8`, parsed, app.config)).toBe(false)
})

test.each([
  ['plain', ['plain']],
  [' \taround\n\v', ['around']],
  [`it's "\\"`, [`it's "\\"`, `it\\'s \\"\\\\\\"`]],
  ['\u00a0kept\u00a0', ['\u00a0kept\u00a0']],
  ['   ', ['']],
])('WordPress may have hashed %j as %j', (password, expected) => {
  expect(asInWordPress(password)).toEqual(expected)
})
