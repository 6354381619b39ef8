import { expect, test } from 'vitest'
import { createMailRequests } from '../../src/accounts/mail-requests.ts'
import { changeUser, getMe, password, putMe, readUser, register, tryLogIn } from '../accounts.ts'
import { createTestApp } from '../app.ts'
import {
  newPassword,
  refresh,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  tokensIn,
  verify,
} from '../flows.ts'
import { mailedToken, mailedTokens } from '../mailbox.ts'
import { storedSessions } from '../stored.ts'

const createUnlimitedApp = () => createTestApp({ RATE_LIMIT_ENABLED: 'false' })

const twentyTimes = <Result>(run: (time: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, time) => run(time)))

/** How often each status was answered. */
function countStatuses(answers: { statusCode: number }[]) {
  const counts: Record<number, number> = {}
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

test('of 20 verifications with one token at once exactly one succeeds', async () => {
  const app = await createUnlimitedApp()
  await register(app)
  const token = await mailedToken(app, 'verification')
  expect(countStatuses(await twentyTimes(() => verify(app, token)))).toEqual({ 200: 1, 400: 19 })
})

test('of 20 resets with one token at once exactly one sets its password', async () => {
  const app = await createUnlimitedApp()
  await register(app)
  const token = await requestReset(app)
  const passwordOf = (time: number) => `Horse-Number-${time}`
  const answers = await twentyTimes((time) => resetPassword(app, token, passwordOf(time)))
  expect(countStatuses(answers)).toEqual({ 200: 1, 400: 19 })
  const winner = answers.findIndex(({ statusCode }) => statusCode === 200)
  expect((await tryLogIn(app, 'alice', passwordOf(winner))).statusCode).toBe(200)
})

// Whoever logs in with the old password just as it is replaced must not keep his session.
test('of logins with the old password during a reset none is live after it', async () => {
  const app = await createUnlimitedApp()
  await register(app)
  const token = await requestReset(app)
  const logins = Array.from({ length: 10 }, () => tryLogIn(app, 'alice', password))
  const reset = resetPassword(app, token)
  const laterLogins = Array.from({ length: 10 }, () => tryLogIn(app, 'alice', password))
  expect((await reset).statusCode).toBe(200)
  for (const login of await Promise.all([...logins, ...laterLogins])) {
    if (login.statusCode !== 200) continue
    const { accessToken, refreshToken } = tokensIn(login)
    expect((await getMe(app, accessToken)).statusCode).toBe(401)
    expect((await refresh(app, refreshToken)).statusCode).toBe(401)
  }
  expect(await storedSessions(app)).toEqual([])
  await startSession(app, 'alice', newPassword)
})

// The address was looked up before the user's row was locked: it may belong to nobody, or to somebody else, by then.
test('a request for a mail that meets a change of the address mails nothing', async () => {
  const app = await createUnlimitedApp()
  const { id } = await registerVerified(app)
  const { config, db, now, accounts } = app
  const before = await readUser(app, id)
  await changeUser(app, id, { email: 'new@example.com' })
  const users = { ...accounts.users, findByLogin: async () => before }
  const requestMail = createMailRequests({ config, db, now, users })
  await requestMail('reset', before.email, accounts.passwordReset.ask)
  expect(await mailedTokens(app, 'reset', before.email)).toEqual([])
  expect(await mailedTokens(app, 'reset', 'new@example.com')).toEqual([])
})

test('of one who registers with an address and one who changes to it at once, one gets it and its mail', async () => {
  const app = await createUnlimitedApp()
  await register(app, 'bob')
  const { accessToken } = await startSession(app, 'bob')
  const email = 'alice@example.com'
  const answers = await Promise.all([
    putMe(app, accessToken, { email }),
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      body: { username: 'alice', email, password },
    }),
  ])
  expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(1)
  expect(await mailedTokens(app, 'verification', email)).toHaveLength(1)
})
