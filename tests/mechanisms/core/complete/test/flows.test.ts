import { Session } from 'node:inspector/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, getMe, tryLogIn } from './support/accounts.ts'
import { createTestApp } from './support/app.ts'
import {
  handleRequests,
  newPassword,
  post,
  refresh,
  registerVerified,
  startSession,
} from './support/flows.ts'
import { emailedToken } from './support/mailbox.ts'
import { createTestMailer, deliverDue } from './support/mailer.ts'

// A reader has to open these files to follow a flow from HTTP to SQL. The next feature makes room, or becomes an add-on.

const session = new Session()

beforeAll(async () => {
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true })
})
afterAll(() => session.disconnect())

/** The files of src/ of which a function runs during the work. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.filter(({ functions }) =>
    functions.some(({ ranges: [whole] }) => Number(whole?.count) > 0),
  )
  const files = new Set(ran.flatMap(({ url }) => /\/src\/(.+\.ts)/.exec(url)?.[1] ?? []))
  // Those of the core: an add-on brings its own.
  return [...files]
    .filter(
      (file) =>
        !/^(passwords\/foreign|cookies|email-login|factors|oidc|passkeys|sign-in|totp)\/|^db\/schema\/(identities|passkeys|totp|sign-in)|^additions\/(?!index)|^outgoing|^plugins\/(fair-queue|cookies)/.test(
          file,
        ),
    )
    .sort()
}

test('a flow passes few files', async () => {
  const app = await createTestApp({}, false, { mailer: createTestMailer() })
  await registerVerified(app)
  await tryLogIn(app, 'alice', 'Wrong-Horse-7')
  const { accessToken, refreshToken } = await startSession(app)
  await getMe(app, accessToken)
  const flows: Record<string, string[]> = {
    me: await filesOf(() => app.inject({ url: '/api/v1/users/me', headers: bearer(accessToken) })),
    refresh: await filesOf(() => refresh(app, refreshToken)),
    login: await filesOf(() => startSession(app)),
    reset: await filesOf(async () => {
      await post(app, 'forgot-password', { email: 'alice@example.com' })
      await handleRequests(app)
      const token = await emailedToken(app, 'reset')
      await deliverDue(app)
      await post(app, 'reset-password', { token, new_password: newPassword })
    }),
    register: await filesOf(async () => {
      await post(app, 'register', { email: 'bob@example.com', username: 'bob', password: 'Correct-Horse-7' })
      await deliverDue(app)
    }),
  }
  // On PostgreSQL, which takes one or two more than SQLite.
  const limits: Record<string, number> = { me: 19, refresh: 22, login: 32, register: 40, reset: 44 }
  for (const [name, files] of Object.entries(flows))
    expect(files.length, `${name}: ${files.join(' ')}`).toBeLessThanOrEqual(limits[name] ?? 0)
})
