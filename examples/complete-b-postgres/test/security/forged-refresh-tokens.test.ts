import { createHash, createHmac, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deriveKeys, type KeyRing } from '../../src/keys.ts'
import { firstToken, hashToken, readToken, successorsOf } from '../../src/sessions/refresh-tokens.ts'
import { getMe, register } from '../support/accounts.ts'
import { shareTestApp } from '../support/app.ts'
import { refresh, startSession } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { storedSessions } from '../support/stored.ts'

const app = await shareTestApp({ RATE_LIMIT_ENABLED: 'false' })
await register(app)
const { accessToken, refreshToken } = await startSession(app)
const other = await startSession(app)
const bytes = Buffer.from(refreshToken, 'base64url')
const otherBytes = Buffer.from(other.refreshToken, 'base64url')
const before = await storedSessions(app)

/** Expects that a token is refused and, unlike a replayed one, ends no session. */
async function expectRefused(forged: string) {
  expectProblem(await refresh(app, forged), 'invalid_refresh_token')
  expect(await storedSessions(app)).toEqual(before)
}

const flipBit = (bit: number) => {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return changed.toString('base64url')
}

describe('a forged refresh token is refused and ends no session', () => {
  test('with any one bit changed', async () => {
    for (let bit = 0; bit < bytes.length * 8; bit += 5) await expectRefused(flipBit(bit))
  })

  test.each<[string, string]>([
    ['an empty one', ''],
    ['a word', 'nonsense'],
    ['zeros', Buffer.alloc(54).toString('base64url')],
    ['random bytes', randomBytes(54).toString('base64url')],
    ['one that is cut off', refreshToken.slice(0, -1)],
    ['one that is longer', `${refreshToken}A`],
    ['two', refreshToken + refreshToken],
    ['an access token', accessToken],
    ['the hash from the database', hashToken(refreshToken)],
    [
      'one with parts of two sessions',
      Buffer.concat([otherBytes.subarray(0, 6), bytes.subarray(6)]).toString('base64url'),
    ],
    [
      'one with the secret of another session',
      Buffer.concat([bytes.subarray(0, 6), otherBytes.subarray(6, 38), bytes.subarray(38)]).toString(
        'base64url',
      ),
    ],
    ['one tagged with another key', firstToken(1, [randomBytes(32)]).text],
    [
      'one tagged with the key of the emailed tokens',
      firstToken(1, deriveKeys(app.config.accessTokens).emailTokens).text,
    ],
    ['one tagged with the secret itself', firstToken(1, [Buffer.from(app.config.accessTokens.secret)]).text],
  ])('%s', async (_case, forged) => {
    await expectRefused(forged)
  })

  test('a genuine token of a session that does not exist', async () => {
    const keys = deriveKeys(app.config.accessTokens).refreshTokens
    for (const id of [0, 4711, 2 ** 48 - 1]) await expectRefused(firstToken(id, keys).text)
  })

  test.each<[string, string]>([
    ['padding', `${refreshToken}=`],
    ['a space', ` ${refreshToken}`],
    ['a space in it', `${refreshToken.slice(0, 20)} ${refreshToken.slice(20)}`],
    ['the standard base64 alphabet', bytes.toString('base64').replace(/^(.)/, '+')],
    ['a non-ASCII letter', `${refreshToken.slice(0, -1)}\u00e9`],
  ])('another spelling, with %s', async (_case, spelling) => {
    await expectRefused(spelling)
  })
})

test.each([null, 1, true, ['text'], { text: 'x' }, undefined])('%j is refused as a token', async (given) => {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/auth/refresh',
    body: { refresh_token: given },
  })
  expectProblem(response, 'validation_failed')
})

test('a refresh token is not accepted as an access token', async () => {
  expectProblem(await getMe(app, refreshToken), 'invalid_token')
})

describe('the format of a token', () => {
  const keys: KeyRing = [randomBytes(32), randomBytes(32)]

  test('a token is accepted with each key, but in one spelling only', () => {
    const { text } = firstToken(7, [keys[1] ?? randomBytes(32)])
    expect(readToken(text, keys)).toEqual({ text, sessionId: 7 })
    expect(readToken(text, [keys[0]])).toBeUndefined()
    // 54 bytes are exactly 72 characters, so these differ only in the alphabet.
    const standard = Buffer.from(text, 'base64url').toString('base64')
    if (standard !== text) expect(readToken(standard, keys)).toBeUndefined()
  })

  // Six bytes hold less than 2^48: a login threw as soon as the ids were larger.
  test.each([2 ** 48 - 1, 2 ** 48, Number.MAX_SAFE_INTEGER])('a token has the session %d', (sessionId) => {
    const token = firstToken(sessionId, keys)
    expect(readToken(token.text, keys)).toEqual({ text: token.text, sessionId })
    expect(successorsOf(token, keys)[0].sessionId).toBe(sessionId)
  })

  test('a successor needs the token and the key: neither is enough', () => {
    const token = firstToken(7, keys)
    const [successor] = successorsOf(token, keys)
    expect(successorsOf(token, keys)[0]).toEqual(successor)
    expect(successorsOf(firstToken(7, keys), keys)[0]).not.toEqual(successor)
    const guesses = [
      createHash('sha256').update(token.text).digest(),
      createHmac('sha256', token.text).update('').digest(),
      createHmac('sha256', keys[0]).update(hashToken(token.text)).digest(),
      createHmac('sha256', randomBytes(32)).update(token.text).digest(),
    ]
    const secret = Buffer.from(successor?.text ?? '', 'base64url').subarray(6, 38)
    for (const guess of guesses) expect(guess.equals(secret)).toBe(false)
  })

  test('two first tokens of one session are independent', () => {
    expect(firstToken(7, keys).text).not.toBe(firstToken(7, keys).text)
  })
})
