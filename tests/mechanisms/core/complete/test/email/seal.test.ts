import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type KeyRing, seal, unseal } from '../../src/keys.ts'

const keys: KeyRing = [randomBytes(32)]

test('each email has its own nonce: with a shared one, AES-GCM reveals both texts', () => {
  const nonces = Array.from({ length: 100 }, () => seal('text', keys).slice(0, 16))
  expect(new Set(nonces).size).toBe(100)
})

test('a changed email is not decrypted', () => {
  const bytes = Buffer.from(seal('text', keys), 'base64url')
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(bytes.readUInt8(index) ^ 1, index)
    expect(() => unseal(changed.toString('base64url'), keys)).toThrow(/^No secret decrypts this value/)
  }
})
