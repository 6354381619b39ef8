import { describe, expect, test } from 'vitest'
import type { ProblemName } from '../../src/errors/api-error.ts'
import { getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp, shareTestApp } from '../support/app.ts'
import { encode, sign, takeApart } from '../support/forge.ts'
import { expectProblem } from '../support/problem.ts'
import { settingNames, testSettings, usernameClaim } from '../support/settings.ts'

const app = await shareTestApp()
const { secret } = app.config.accessTokens
const { id } = await register(app)
const bob = await register(app, 'bob')
const token = await logIn(app)
const { header, payload, parts } = takeApart(token)
const [head, body, signature] = parts
const now = Math.floor(app.clock.now() / 1000)

async function expectRefused(forged: string, name: ProblemName = 'invalid_token') {
  const response = await getMe(app, forged)
  expectProblem(response, name)
  expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
}

test('an unchanged token built by these tests is accepted', async () => {
  const response = await getMe(app, sign(header, payload, secret))
  expect(response.json().id).toBe(id)
})

describe('a token that is not signed with the secret is refused', () => {
  test.each(['none', 'None', 'nOnE', ''])('with alg %j and without a signature', async (alg) => {
    await expectRefused(`${encode({ ...header, alg })}.${body}.`)
    await expectRefused(`${encode({ ...header, alg })}.${body}.${signature}`)
  })

  test.each([
    ['another secret', 'b'.repeat(32)],
    ['the placeholder', 'change-me-to-32-random-bytes-or-more'],
    ['an empty secret', ''],
    ['the header as the secret', head],
  ])('if it is signed with %s', async (_case, key) => {
    await expectRefused(sign(header, payload, key))
  })

  test.each([
    ['a changed payload', `${head}.${encode({ ...payload, user_id: bob.id })}.${signature}`],
    ['no signature', `${head}.${body}.`],
    ['a truncated signature', `${head}.${body}.${signature.slice(0, -4)}`],
    ['a longer signature', `${head}.${body}.${signature}AAAA`],
    ['a signature of zeros', `${head}.${body}.${'A'.repeat(43)}`],
    ['an empty signature of ECDSA', `${encode({ ...header, alg: 'ES256' })}.${body}.MAYCAQACAQA`],
  ])('with %s', async (_case, forged) => {
    await expectRefused(forged)
  })

  test.each([
    ['kid', '../../../../dev/null', ''],
    ['kid', "x' UNION SELECT 'attacker", 'attacker'],
    ['jku', 'https://evil.example.com/keys.json', 'attacker'],
    ['x5u', 'https://evil.example.com/cert.pem', 'attacker'],
    ['jwk', { kty: 'oct', k: Buffer.from('attacker').toString('base64url') }, 'attacker'],
  ])('if its header chooses the key: %s %j', async (member, value, key) => {
    await expectRefused(sign({ ...header, [member]: value }, payload, key))
  })

  test('with duplicate members, which parsers read differently', async () => {
    await expectRefused(`${encode('{"alg":"HS256","alg":"none","typ":"at+jwt"}')}.${body}.`)
    const twice = JSON.stringify(payload).replace('{', `{"user_id":${bob.id},`)
    await expectRefused(`${head}.${encode(twice)}.${signature}`)
  })
})

// From here on the signature is valid: another service with the same secret, or another kind of token.
describe('a signed token with a wrong header is refused', () => {
  test.each([
    ['HS384', 'sha384'],
    ['HS512', 'sha512'],
    ['RS256', 'sha256'],
    ['hs256', 'sha256'],
  ])('alg %s', async (alg, hash) => {
    await expectRefused(sign({ ...header, alg }, payload, secret, hash))
  })

  test.each(['JWT', 'id+jwt', 'AT+JWT', 'rt+jwt', '', null, 1, ['at+jwt'], undefined])(
    'typ %j',
    async (typ) => {
      await expectRefused(sign({ ...header, typ }, payload, secret))
    },
  )

  test.each([
    ['kid', 'current'],
    ['jku', 'https://example.com/keys.json'],
    ['jwk', {}],
    ['x5u', 'https://example.com/cert.pem'],
    ['x5c', []],
    ['crit', ['exp']],
    ['crit', []],
    ['b64', false],
    ['zip', 'DEF'],
    ['cty', 'JWT'],
  ])('an unknown header member: %s %j', async (member, value) => {
    await expectRefused(sign({ ...header, [member]: value }, payload, secret))
  })
})

test('a signed token whose header has other text is refused, even if it means the same', async () => {
  for (const text of ['{"typ":"at+jwt","alg":"HS256"}', '{"alg":"HS256", "typ":"at+jwt"}'])
    await expectRefused(sign(text, payload, secret))
})

test.each(['null', '[]', '"text"', '1', '{', ''])(
  'a signed token with the payload %j is refused',
  async (text) => {
    await expectRefused(sign(header, text, secret))
  },
)

describe('a signed token with a wrong claim is refused', () => {
  const expectClaimRefused = (name: string, value: unknown) =>
    expectRefused(sign(header, { ...payload, [name]: value }, secret))

  const noTime = [undefined, null, '', String(now + 60), true, [now + 60], {}]

  test.each([...noTime, now + 60.5, 1e15, Number.MAX_SAFE_INTEGER, 1e308, -1e308])('exp %j', async (exp) => {
    await expectClaimRefused('exp', exp)
  })

  test.each([...noTime, now + 0.5, now + 3600, payload.exp, payload.exp + 1, -1, 0, -1e308])(
    'iat %j',
    async (iat) => {
      await expectClaimRefused('iat', iat)
    },
  )

  test('iat in the future, beyond the allowed clock skew', async () => {
    const times = (ahead: number) => ({ iat: now + ahead, exp: now + ahead + 60 })
    await expectRefused(sign(header, { ...payload, ...times(902) }, secret))
    expect((await getMe(app, sign(header, { ...payload, ...times(900) }, secret))).statusCode).toBe(200)
  })

  // A token that is issued for later must not be used before (RFC 7519 section 4.1.5).
  test.each([...noTime.slice(1), now + 0.5, now + 1, now + 3600, 1e308])('nbf %j', async (nbf) => {
    await expectClaimRefused('nbf', nbf)
  })

  test('nbf that has passed is no reason to refuse', async () => {
    for (const nbf of [0, now - 60, now])
      expect((await getMe(app, sign(header, { ...payload, nbf }, secret))).statusCode).toBe(200)
  })

  test.each([
    [now + 30, now + 30],
    [now + 30, now + 20],
  ])('iat %i and exp %i: expires before it is issued', async (iat, exp) => {
    await expectRefused(sign(header, { ...payload, iat, exp }, secret))
  })

  test.each([0, -1, now - 1, now])('exp %j, which is past', async (exp) => {
    await expectRefused(sign(header, { ...payload, iat: exp - 60, exp }, secret), 'token_expired')
  })

  test.each([undefined, null, '1', 1.5, -1, 0, 2 ** 53, 1e308, true, [1], { id: 1 }, '1 OR 1=1'])(
    'user_id %j',
    async (userId) => {
      await expectClaimRefused('user_id', userId)
      // By the token alone: not because no session has this user.
      const forged = sign(header, { ...payload, user_id: userId }, secret)
      expect(() => app.ctx.accessTokens.verify(forged)).toThrow('Invalid token')
    },
  )

  test.each([undefined, null, '', 'ALICE', 'bob', 'alice ', 'al\u0131ce', ['alice'], 1])(
    'the name %j with the id of alice',
    async (name) => {
      await expectClaimRefused(usernameClaim, name)
    },
  )

  test('the id of a user who does not exist', async () => {
    await expectClaimRefused('user_id', 4711)
  })
})

describe('text that is not a token is refused', () => {
  test.each([
    'a',
    '.',
    '..',
    '...',
    'null.null.null',
    `${head}.${body}`,
    `${token}.`,
    `.${token}`,
    `${token}.${signature}`,
    `${token}.a.b`,
    `${token} `.padEnd(token.length + 3, 'x'),
    `${token},${token}`,
    `${body}.${head}.${signature}`,
    `${encode('null')}.${encode('null')}.${signature}`,
    `${encode('[]')}.${encode('"text"')}.${signature}`,
    `${encode('{')}.${body}.${signature}`,
    `"${token}"`,
    JSON.stringify({ protected: head, payload: body, signature }),
    'a'.repeat(8000),
    `${'a.'.repeat(2000)}a`,
  ])('%j', async (forged) => {
    await expectRefused(forged)
  })

  test.each([
    ['padding', `${token}=`],
    ['padding of each part', parts.map((part) => part.padEnd(Math.ceil(part.length / 4) * 4, '=')).join('.')],
    ['a line break', `${head}.${body}.\t${signature}`],
    ['the standard base64 alphabet', `${head}.${body}.+/${signature.slice(2)}`],
    ['percent-encoding', `${head}%2E${body}%2E${signature}`],
    ['a non-ASCII letter', `${head}.${body}.${signature.slice(0, -1)}\u00e9`],
  ])('a genuine token with %s', async (_case, forged) => {
    await expectRefused(forged)
  })
})

describe('changing the secret', () => {
  const oldSecret = testSettings[settingNames.secret as keyof typeof testSettings]
  const newSecret = 'another-secret-of-at-least-32-bytes!'

  /** The response of a service with these settings to a token signed with the old secret. */
  async function answerToOldToken(env: Record<string, string>) {
    const changed = await createTestApp({ [settingNames.secret]: newSecret, ...env })
    await register(changed)
    const { header, payload } = takeApart(await logIn(changed))
    return getMe(changed, sign(header, payload, oldSecret))
  }

  test('revokes all tokens', async () => {
    expectProblem(await answerToOldToken({}), 'invalid_token')
  })

  test('keeps them valid while the old secret is listed', async () => {
    const response = await answerToOldToken({
      [settingNames.previousSecrets]: `${oldSecret.replaceAll('-', '+')}, ${oldSecret}`,
    })
    expect(response.statusCode).toBe(200)
  })

  test('never signs new tokens with a former secret', async () => {
    const changed = await createTestApp({
      [settingNames.secret]: newSecret,
      [settingNames.previousSecrets]: oldSecret,
    })
    await register(changed)
    const issued = await logIn(changed)
    const { header, payload } = takeApart(issued)
    expect(issued).toBe(sign(header, payload, newSecret))
  })

  test('tokens of another algorithm are refused after a change of the algorithm', async () => {
    const changed = await createTestApp({ [settingNames.algorithm]: 'HS512' })
    await register(changed)
    expectProblem(await getMe(changed, token), 'invalid_token')
    expect((await getMe(changed, await logIn(changed))).statusCode).toBe(200)
  })
})
