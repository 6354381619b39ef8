import { eq } from 'drizzle-orm'
import { afterEach, expect, test, vi } from 'vitest'
import { importedUsers } from '../../src/db/schema/imported-users.ts'
import { findKinds } from '../../src/import/hash-kinds.ts'
import type { Hashing } from '../../src/passwords/credentials.ts'
import type { HashKind } from '../../src/passwords/foreign/phc.ts'
import { phpass } from '../../src/passwords/foreign/phpass.ts'
import { dummyHash, hashPassword } from '../../src/passwords/hashes.ts'
import { logIn, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { fixture, importedLine, importLines } from '../support/import.ts'

// Test files share modules and globals.
afterEach(() => void vi.restoreAllMocks())

const bcrypt = (cost: string) => `$2b$${cost}$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW`

/** Hashes of cost 05 take 20 ms, those of 14 take 300, all others 100, by a clock that nothing else moves. */
function slowHashing() {
  let now = 1_000
  const verified: [password: string, storedHash: string][] = []
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const hashing: Hashing = {
    hash: hashPassword,
    verify: async (password, storedHash) => {
      verified.push([password, storedHash])
      now += storedHash.includes('$05$') ? 20 : storedHash.includes('$14$') ? 300 : 100
      return false
    },
  }
  return { hashing, verified }
}

/** Lets waits of these milliseconds end at once. @returns those that began */
function recordWaits(...expected: number[]) {
  const waits: number[] = []
  const { setTimeout: start } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms = 0) => {
    if (!expected.includes(ms)) return start(work, ms)
    waits.push(ms)
    return start(work, 0)
  }) as typeof setTimeout)
  return waits
}

// Otherwise the response time would reveal who has an account that was imported, and not used since.
test('a wrong password takes the same time for each kind of hash, and for unknown names', async () => {
  const { hashing } = slowHashing()
  const waits = recordWaits(80, 200, 280)
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' }, false, { hashing })
  await register(app, 'own')
  await importLines(app, [
    importedLine('fast', { hashed_password: bcrypt('05') }),
    importedLine('slow', { hashed_password: bcrypt('14') }),
  ])
  const measure = (hash?: string) => app.ctx.credentials.verify('', hash)
  await measure()
  await measure(bcrypt('05'))
  expect(waits.splice(0)).toEqual([80])
  const waitsOf = async (name: string) => {
    expect((await tryLogIn(app, name, 'Wrong-Horse-7')).statusCode).toBe(401)
    return waits.splice(0)
  }
  expect(await waitsOf('own')).toEqual([])
  expect(await waitsOf('fast')).toEqual([80])
  expect(await waitsOf('slow')).toEqual([])
  await measure(bcrypt('14'))
  expect(await waitsOf('own')).toEqual([200])
  expect(await waitsOf('nobody')).toEqual([200])
  expect(await waitsOf('fast')).toEqual([280])
})

// Otherwise the first login after a start would take another time.
test('each kind that users have is measured at the start, until logins have replaced them', async () => {
  const { hashing, verified } = slowHashing()
  const app = await createTestApp({}, false, { hashing })
  await importLines(
    app,
    ['05', '05', '14'].map((cost, at) => importedLine(`user${at}`, { hashed_password: bcrypt(cost) })),
  )
  verified.length = 0
  await app.listen({ port: 0 })
  // First the service's own: before anybody logs in, that is what an unknown name takes.
  const own = dummyHash(app.config.credentials)
  // And with the password that costs phpass the most: a client could send it, and tell such users from others.
  const each = [own, bcrypt('05'), bcrypt('14')].flatMap((hash) =>
    Array(3).fill([`'${'x'.repeat(254)}`, hash]),
  )
  await vi.waitFor(() => expect(verified).toEqual(each), 60_000)
  expect([...(await findKinds(app.ctx)).keys()]).toEqual(['$2$05', '$2$14'])
})

test('a kind that no user has any more is forgotten', async () => {
  const app = await createTestApp()
  await runCommand(app, 'import', fixture('hashes.ndjson'))
  const before = await findKinds(app.ctx)
  expect(before.get('$phpass$ln=11')).toMatch(/^\$phpass\$ln=11\$/)
  await logIn(app, 'phpbb')
  const after = await findKinds(app.ctx)
  expect([...before.keys()].filter((kind) => !after.has(kind))).toEqual(['$phpass$ln=11'])
  const rows = await app.db.read.select().from(importedUsers).where(eq(importedUsers.userId, 1))
  expect(rows[0]).toMatchObject({ hashKind: null, externalId: null })
})

const parsed = (kind: HashKind, storedHash: string) => {
  const hash = kind.parse(storedHash)
  if (!hash) throw new Error(`${storedHash} is refused`)
  return hash
}

// MD5 of a long password in each round would take many times longer, and all other logins would wait as long.
test('phpass gets at most 256 bytes, and then no password matches', async () => {
  const app = await createTestApp()
  const matches = (password: string, hash: string) =>
    phpass.matches(password, parsed(phpass, `$phpass$ln=7$YWJjZGVmZ2g$${hash}`), app.config)
  const [empty, of256, of257] = ['oZrK7dpLh8yuueVDLGWAHw', 'sroy4qZyl78+YjMyjHXnDw', 'PK3lug0IqT2tO3suFBLXFA']
  expect(await matches('', empty)).toBe(true)
  expect(await matches('x'.repeat(256), of256)).toBe(true)
  for (const hash of [empty, of257]) expect(await matches('x'.repeat(257), hash)).toBe(false)
})
