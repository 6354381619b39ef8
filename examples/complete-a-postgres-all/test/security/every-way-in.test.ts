import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { bearer } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import type { Authenticator } from '../support/authenticator.ts'
import { browse, cookieIn, ownOrigin } from '../support/cookies.ts'
import { post, registerVerified, startSession, tokensIn } from '../support/flows.ts'
import { pendingIn } from '../support/made-up-factor.ts'
import { addPasskey, optionsOf, sendPasskey } from '../support/passkeys.ts'
import { storedSessions } from '../support/stored.ts'
import { codeOf, turnOn } from '../support/totp.ts'
import { ways } from '../support/ways.ts'

interface User {
  accessToken: string
  device: Authenticator
  secret: string
  codes: string[]
}

/** What answers the second step, and the `amr` that it adds. */
const factors = [
  {
    name: 'a code',
    amr: 'otp',
    answer: async (app: TestApp, { secret }: User) => ({ code: codeOf(app, secret) }),
  },
  {
    name: 'a recovery code',
    amr: 'recovery',
    answer: async (_app: TestApp, { codes }: User) => ({ recovery_code: codes[0] }),
  },
  {
    name: 'a passkey',
    amr: 'pop user',
    async answer(app: TestApp, { device }: User, mfa_token: string) {
      return {
        credential: device.get(await optionsOf(await post(app, 'mfa/passkey/options', { mfa_token }))),
      }
    },
  },
]

/** The same app for a page of its own, which asks for cookies. */
function inBrowser(app: TestApp): TestApp {
  const inject = ({ url, headers, ...rest }: InjectOptions) => {
    const asked = rest.method === 'POST' ? `${url}?use_cookies=true` : url
    return app.inject({ ...rest, url: asked, headers: { ...headers, ...ownOrigin } })
  }
  return Object.assign(Object.create(app), { inject })
}

/** How a session reaches the caller, and who that is then. */
const transports = [
  {
    name: 'tokens',
    of: (app: TestApp) => app,
    async callerOf(app: TestApp, answer: Awaited<ReturnType<typeof post>>) {
      expect(answer.headers['set-cookie']).toBeUndefined()
      const headers = bearer(tokensIn(answer).accessToken)
      return (await app.inject({ url: '/api/v1/users/me', headers })).json().username
    },
  },
  {
    name: 'a cookie',
    of: inBrowser,
    async callerOf(app: TestApp, answer: Awaited<ReturnType<typeof post>>) {
      expect(answer.body).toBe('')
      return (await browse(app, { url: 'users/me', cookie: cookieIn(answer) })).json().username
    },
  },
]

async function prepare(hasFactor: boolean) {
  const app = await createTestApp(Object.assign({}, ...ways.map((way) => way.env)))
  for (const { prepare } of ways) prepare?.(app)
  const { id } = await registerVerified(app)
  const { accessToken } = await startSession(app)
  const { device } = await addPasskey(app, accessToken)
  const { secret, codes } = hasFactor ? await turnOn(app, accessToken) : { secret: '', codes: [] }
  return { app, user: { id, accessToken, device, secret, codes } }
}

const lastAmr = async (app: TestApp) => (await storedSessions(app)).at(-1)?.amr

describe.each(transports)('for $name', ({ of, callerOf }) => {
  describe.each(ways)('with $name', ({ begin, amr }) => {
    test('and no factor: a session', async () => {
      const { app, user } = await prepare(false)
      expect(await callerOf(app, await begin(of(app), user.id))).toBe('alice')
      expect(await lastAmr(app)).toBe(amr.join(' '))
    })

    test.each(factors)(
      'and $name: a session after the second step alone',
      async ({ amr: second, answer }) => {
        const { app, user } = await prepare(true)
        const first = await begin(of(app), user.id)
        expect(first.headers['set-cookie']).toBeUndefined()
        const { mfa_token } = pendingIn(first)
        const body = { mfa_token, ...(await answer(app, user, mfa_token)) }
        expect(await callerOf(app, await post(of(app), 'mfa', body))).toBe('alice')
        expect(await lastAmr(app)).toBe([...amr, second, 'mfa'].join(' '))
      },
    )
  })

  test.each([false, true])(
    'with a passkey, which is both factors: a session (totp is on: %s)',
    async (hasFactor) => {
      const { app, user } = await prepare(hasFactor)
      expect(await callerOf(app, await sendPasskey(of(app), user.device))).toBe('alice')
      expect(await lastAmr(app)).toBe('pop user mfa')
    },
  )
})
