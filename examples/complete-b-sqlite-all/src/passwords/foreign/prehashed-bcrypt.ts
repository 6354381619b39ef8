import { createHash, createHmac } from 'node:crypto'
import { verify } from '@node-rs/bcrypt'
import type { HashKind } from './phc.ts'
import { asInWordPress } from './wordpress.ts'

/** What bcrypt gets instead of the password, so that it ignores no bytes. */
const prehashes: Record<string, (password: string) => string[]> = {
  // Django, BCryptSHA256PasswordHasher.
  'bcrypt-sha256': (password) => [createHash('sha256').update(password).digest('hex')],
  // WordPress since 6.8.
  'bcrypt-hmac-sha384': (password) =>
    asInWordPress(password).map((text) => createHmac('sha384', 'wp-sha384').update(text).digest('base64')),
}

/** The bcrypt hash begins with the cost. The last character of the salt carries only two bits. */
const pattern = /^\$(bcrypt-[a-z0-9-]+)\$(0[4-9]|1[0-4])\$([./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31})$/

/** bcrypt of another hash of the password: `$bcrypt-sha256$12$…`. */
export const prehashedBcrypt: HashKind = {
  parse(storedHash) {
    const [, id = '', cost, hash = ''] = pattern.exec(storedHash) ?? []
    if (!Object.hasOwn(prehashes, id)) return undefined
    return { id, cost: { c: Number(cost) }, salt: Buffer.alloc(0), hash: Buffer.from(hash) }
  },
  async matches(password, { id, cost: { c }, hash }) {
    let isRight = false
    for (const prehash of prehashes[id]?.(password) ?? [])
      if (await verify(prehash, `$2b$${String(c).padStart(2, '0')}$${hash}`)) isRight = true
    return isRight
  },
}
