import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { CompactSign, errors, jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { copyExample } from './generated/run-tests.ts'

// The service signs and verifies access tokens itself. A library that many projects use has to agree with it.

interface AccessTokens {
  issue(user: { id: number; username: string }): string
  verify(token: string): { userId: number; username: string; issuedAt: number }
}
type Create = (settings: object, now: () => number) => AccessTokens

const path = join(copyExample('basic-b-sqlite'), 'src/sessions/access-tokens.ts')
const { createAccessTokens }: { createAccessTokens: Create } = await import(pathToFileURL(path).href)

const [secret, previous] = [randomUUID(), randomUUID()]
const [issuer, audience, typ] = ['https://auth.example.com', 'my-api', 'at+jwt']
const user = { id: 7, username: 'alice' }
const key = (text: string) => new TextEncoder().encode(text)

describe.each(['HS256', 'HS384', 'HS512'])('%s', (algorithm) => {
  const settings = { algorithm, secret, previousSecrets: [previous], issuer, audience }
  const ours = createAccessTokens(settings, Date.now)

  /** The user id that jose reads. @throws JOSEError if it refuses the token */
  const readByJose = async (token: string) => {
    const options = { algorithms: [algorithm], issuer, audience, typ }
    const verify = (text: string) => jwtVerify(token, key(text), options)
    const { payload } = await verify(secret).catch(() => verify(previous))
    return payload.user_id
  }
  const readByUs = (token: string) => {
    try {
      return ours.verify(token).userId
    } catch {
      return undefined
    }
  }
  const signByJose = (text: string, header = { alg: algorithm, typ }) =>
    new SignJWT({ user_id: user.id, token_type: 'access' })
      .setProtectedHeader(header)
      .setSubject(user.username)
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(key(text))

  test('jose accepts what the service issues', async () => {
    expect(await readByJose(ours.issue(user))).toBe(user.id)
  })

  test.each([secret, previous])(
    'the service accepts what jose signs with a secret of the settings',
    async (text) => {
      expect(ours.verify(await signByJose(text))).toMatchObject({ userId: user.id, username: user.username })
    },
  )

  test('both refuse what jose signs with another secret, algorithm or type', async () => {
    const other = algorithm === 'HS256' ? 'HS512' : 'HS256'
    for (const token of [
      await signByJose(randomUUID()),
      await signByJose(secret, { alg: other, typ }),
      await signByJose(secret, { alg: algorithm, typ: 'JWT' }),
    ]) {
      await expect(readByJose(token)).rejects.toBeInstanceOf(errors.JOSEError)
      expect(() => ours.verify(token)).toThrow('Invalid token')
    }
  })

  test('the service refuses what jose signs but is no JSON object', async () => {
    for (const payload of ['null', '[]', '1', '"a"', '{']) {
      const signature = new CompactSign(key(payload)).setProtectedHeader({ alg: algorithm, typ })
      const token = await signature.sign(key(secret))
      expect(() => ours.verify(token)).toThrow('Invalid token')
    }
  })

  test('jose accepts all that the service accepts, whatever the claims', async () => {
    const now = Math.floor(Date.now() / 1000)
    const identity = { sub: user.username, user_id: user.id, token_type: 'access' }
    const valid = { ...identity, iss: issuer, aud: audience, iat: now, exp: now + 600 }
    const name = fc.constantFrom(...Object.keys(valid), 'nbf')
    const value = fc.oneof(
      fc.integer({ min: now - 1_200, max: now + 1_200 }),
      fc.constantFrom<unknown>(undefined, null, 0, 1.5, '7', issuer, audience, [audience]),
    )
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 2 }), async (changes) => {
        const payload = JSON.stringify({ ...valid, ...Object.fromEntries(changes) })
        const signature = new CompactSign(key(payload)).setProtectedHeader({ alg: algorithm, typ })
        const token = await signature.sign(key(secret))
        const given = readByUs(token)
        if (given === undefined) return
        accepted += 1
        expect(await readByJose(token)).toBe(given)
      }),
      { numRuns: 500 },
    )
    expect(accepted).toBeGreaterThan(50)
  })

  test('the service accepts no change of a token', () => {
    const token = ours.issue(user)
    const text = fc.constantFrom('', '.', '=', '-', '_', '+', '/', 'A', 'e', ' ', '\u00e9', '\u0141')
    fc.assert(
      fc.property(fc.nat(token.length), fc.nat(2), text, (at, removed, added) => {
        const changed = token.slice(0, at) + added + token.slice(at + removed)
        fc.pre(changed !== token)
        expect(() => ours.verify(changed)).toThrow('Invalid token')
      }),
      { numRuns: 1_000 },
    )
  })
})
