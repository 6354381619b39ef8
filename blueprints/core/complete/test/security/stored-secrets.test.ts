import { describe, expect, test } from 'vitest'
import { getMe, password, putMe, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import {
  newPassword,
  post,
  refresh,
  requestReset,
  resendVerification,
  resetPassword,
  startSession,
  tokensIn,
  undoEmailChange,
  verify,
} from '../support/flows.ts'
import { emailedToken, emailedTokens, emailsTo } from '../support/mailbox.ts'
import { readDisk } from '../support/read-disk.ts'

/** The base64 of a text at each of the three possible offsets, without the edges, which differ. */
const inBase64 = (text: string) =>
  [0, 1, 2].map((offset) =>
    Buffer.from('x'.repeat(offset) + text)
      .toString('base64url')
      .slice(offset && offset + 1, -2),
  )

/** The encodings in which a secret may occur. */
const formsOf = (secret: string) => [
  secret,
  secret.toLowerCase(),
  secret.replaceAll('-', ''),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret, 'base64url').toString('hex'),
  Buffer.from(secret, 'base64url').toString('latin1'),
  ...inBase64(secret),
  ...inBase64(JSON.stringify(secret)),
]

/** Converts base64 to the alphabet of base64url and removes JSON escapes. */
const readable = (text: string) => [
  text,
  text.replaceAll('+', '-').replaceAll('/', '_'),
  text.replaceAll('\\', ''),
]

function findSecrets(text: string, secrets: string[]): string[] {
  const texts = readable(text)
  return secrets.filter((secret) =>
    formsOf(secret).some((form) => form.length > 5 && texts.some((one) => one.includes(form))),
  )
}

/** Runs every account flow. Returns all secrets that occur in them. */
async function wholeLife() {
  const lines: string[] = []
  const app = await createTestApp(
    { RATE_LIMIT_ENABLED: 'false' },
    { level: 'trace', stream: { write: (line) => void lines.push(line) } },
  )
  const wrong = 'Wrong-Horse-7'
  const { id } = await register(app)
  await resendVerification(app)
  const [void_ = '', verification = ''] = await emailedTokens(app, 'verification')
  await verify(app, void_)
  await verify(app, verification)
  await tryLogIn(app, 'alice', wrong)
  const first = await startSession(app)
  const second = tokensIn(await refresh(app, first.refreshToken))
  const third = tokensIn(await refresh(app, second.refreshToken))
  await refresh(app, first.refreshToken)
  await refresh(app, `${third.refreshToken}x`)
  const ended = await startSession(app)
  await getMe(app, `${ended.accessToken}x`)
  await putMe(app, ended.accessToken, { email: 'third@example.com', current_password: password })
  await changeEmail(app, ended.accessToken, 'second@example.com')
  await requestReset(app, 'second@example.com')
  const reset = await requestReset(app, 'second@example.com')
  await resetPassword(app, reset, 'short-secret')
  await resetPassword(app, reset)
  const { accessToken } = await startSession(app, 'alice', newPassword)
  await post(app, 'logout', { refresh_token: ended.refreshToken }, accessToken)
  await undoEmailChange(app, 'AAAA-BBBB-CCCC-DDDD')
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  await resetPassword(app, await emailedToken(app, 'restored'))

  const emails = [...(await emailsTo(app)), ...(await emailsTo(app, 'second@example.com'))]
  const links = emails.flatMap(({ variables }) => Object.entries(variables))
  const sessions = [first, second, third, ended]
  const secrets = [
    password,
    newPassword,
    wrong,
    'short-secret',
    accessToken,
    ...sessions.flatMap((tokens) => [tokens.accessToken, tokens.refreshToken]),
    ...links.flatMap(([name, value]) => (/^code$|_url$/.test(name) ? [value] : [])),
    ...(await emailedTokens(app, 'verification')),
    ...(await emailedTokens(app, 'confirm', 'second@example.com')),
    ...(await emailedTokens(app, 'confirm', 'third@example.com')),
    ...(await emailedTokens(app, 'reset', 'second@example.com')),
    ...(await emailedTokens(app, 'reset')),
    ...(await emailedTokens(app, 'undo')),
    ...(await emailedTokens(app, 'restored')),
    app.config.accessTokens.secret,
  ]
  return { app, id, secrets, log: lines.join('') }
}

describe('after every account flow', () => {
  test('the database contains no password, token, code, link or secret', async () => {
    const { app, id, secrets } = await wholeLife()
    const disk = await readDisk(app)
    expect(secrets.length).toBeGreaterThan(20)
    expect(findSecrets(disk, secrets)).toEqual([])
    const { hashedPassword } = await readUser(app, id)
    expect(findSecrets(disk, [hashedPassword])).toEqual([hashedPassword])
  })

  test('the log contains none either', async () => {
    const { app, id, secrets, log } = await wholeLife()
    const { hashedPassword } = await readUser(app, id)
    expect(findSecrets(log, [...secrets, hashedPassword])).toEqual([])
    expect(log).not.toMatch(/alice|@example\.com|Bearer/i)
  })

  test('each event is a log entry with a fixed name and the id of the user', async () => {
    const { id, log } = await wholeLife()
    const entries = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const events = new Map<string, unknown>(
      entries.filter(({ event }) => event).map(({ event, userId }) => [event, userId]),
    )
    expect(Object.fromEntries(events)).toMatchObject({
      'user.registered': id,
      'email.verified': id,
      'login.failed': id,
      'login.succeeded': id,
      'refresh.succeeded': id,
      'refresh.replayed': id,
      'user.email_change_requested': id,
      'user.email_changed': id,
      'user.email_change_undone': id,
      'password.reset': id,
    })
    expect([...events.keys()]).toEqual(
      expect.arrayContaining(['verification.requested', 'password_reset.requested']),
    )
  })
})

test('the search finds a secret in each encoding', () => {
  const secret = 'Correct-Horse-7'
  for (const hidden of [
    `x${secret}y`,
    `token=${encodeURIComponent('a b/c')}`,
    Buffer.from(`{"a":"${secret}"}`).toString('base64'),
    Buffer.from(`{"ab":"${secret}"}`).toString('base64url'),
    Buffer.from(`{"abc":"${secret}"}`).toString('base64'),
    Buffer.from(secret).toString('hex'),
  ])
    expect(findSecrets(hidden, [hidden.includes('token=') ? 'a b/c' : secret])).toHaveLength(1)
})
