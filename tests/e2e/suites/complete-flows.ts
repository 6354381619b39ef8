import { describe, expect, test } from 'vitest'
import { problem } from '../harness/client.ts'
import { LOGIN, ME, newUser, REGISTER } from './accounts.ts'
import {
  auth,
  type Complete,
  logIn,
  mailed,
  meStatus,
  NEW_PASSWORD,
  newSession,
  refresh,
  subjects,
  tokensIn,
  told,
} from './complete-context.ts'

/** Flows by mail: email verification, password reset, email change. */
export function mailFlowsSuite(context: Complete): void {
  const { profile, mailServer, atEnd } = context
  const service = () => context.service()
  const verify = (token: string) => service().post(auth('verify-email'), { token })
  const resend = (email: string) => service().post(auth('resend-verification'), { email })
  const forgot = (email: string) => service().post(auth('forgot-password'), { email })
  const reset = (token: string, password = NEW_PASSWORD) =>
    service().post(auth('reset-password'), { token, new_password: password })
  const isVerified = async (token: string) => (await service().get(ME, { token })).body.is_verified
  const burned = (name: string) =>
    problem(400, 'Invalid or expired token', 'invalid_or_expired_token', auth(name))

  /** A token as a user might type it. */
  const typed = (token: string) =>
    profile === 'A'
      ? token
      : ` ${token.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`

  test('a user can register, verify their email, reset their password and log in', async () => {
    const user = newUser('Journey')
    const registered = await service().post(REGISTER, user)
    expect(registered.body).toMatchObject({ is_active: true, is_verified: false })
    const email = 'journey@example.com'
    const first = tokensIn(await logIn(service(), 'Journey'))
    expect(await isVerified(first.access)).toBe(false)

    const verification = await mailed(context, 'verification', email)
    const verified = await verify(typed(verification))
    expect(verified).toMatchObject({ status: 200, body: { message: 'Email verified' } })
    expect(await isVerified(first.access)).toBe(true)
    if (profile === 'B') expect((await mailServer().next(email, 'Welcome')).text).toContain('Journey')

    const second = tokensIn(await refresh(service(), first.refresh))
    expect(second.refresh).not.toBe(first.refresh)
    expect(await meStatus(service(), second.access)).toBe(200)

    expect((await forgot('Journey@Example.COM')).status).toBe(202)
    const resetToken = await mailed(context, 'reset', email)
    expect(await reset(typed(resetToken))).toMatchObject({
      status: 200,
      body: { message: 'Password has been reset' },
    })
    expect((await mailServer().next(email, 'Your password was changed')).text).toContain('Journey')
    expect(await meStatus(service(), second.access)).toBe(401)
    expect((await refresh(service(), second.refresh)).body.code).toBe('invalid_refresh_token')
    expect((await logIn(service(), 'Journey')).body.code).toBe('invalid_credentials')
    const third = tokensIn(await logIn(service(), 'Journey', NEW_PASSWORD))
    expect(await isVerified(third.access)).toBe(true)
  })

  test('a mail is sent once, from the configured sender', async () => {
    await service().post(REGISTER, newUser('reader-of-mail'))
    const to = 'reader-of-mail@example.com'
    const mail = await mailServer().next(to, subjects[profile].verification)
    expect(mail.from).toMatch(/^"?My API"? <accounts@my-api\.test>$/)
    expect(mail.messageId).toMatch(/^<[\w-]+@my-api\.test>$/)
    if (profile === 'B') expect(mail.text).toMatch(/reader-of-mail.*60 minutes/s)
    else expect(mail.text).toContain('My API')
    atEnd(() => expect(mailServer().received.filter((other) => other.to === to)).toHaveLength(1))
  })

  test('a verification token works once, and only one of 20 parallel uses succeeds', async () => {
    await service().post(REGISTER, newUser('once'))
    const token = await mailed(context, 'verification', 'once@example.com')
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)])
    expect((await verify(token)).body).toEqual(burned('verify-email'))
  })

  test('a new mail invalidates the previous token; a verified user gets no verification mail', async () => {
    await service().post(REGISTER, newUser('again'))
    const to = 'again@example.com'
    const old = await mailed(context, 'verification', to)
    expect((await resend(to)).status).toBe(202)
    const token = await mailed(context, 'verification', to)
    expect((await verify(old)).body).toEqual(burned('verify-email'))
    expect((await verify(token)).status).toBe(200)
    expect((await resend(to)).status).toBe(202)
    atEnd(() => {
      const verifications = mailServer().received.filter(
        (mail) => mail.to === to && mail.subject === subjects[profile].verification,
      )
      expect(verifications).toHaveLength(2)
    })

    await forgot(to)
    const oldReset = await mailed(context, 'reset', to)
    await forgot(to)
    const newReset = await mailed(context, 'reset', to)
    expect((await reset(oldReset)).body).toEqual(burned('reset-password'))
    expect((await reset(newReset)).status).toBe(200)
  })

  test('a weak password does not consume the token; a token works for one purpose only', async () => {
    const { access } = await newSession(service(), 'weakling')
    const to = 'weakling@example.com'
    const verification = await mailed(context, 'verification', to)
    await forgot(to)
    const token = await mailed(context, 'reset', to)
    const weak = await reset(token, 'weak')
    expect(weak.body).toMatchObject({ status: 422, code: 'weak_password' })
    expect(weak.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      'Password must be at least 8 characters',
      'Password must contain uppercase letter',
      'Password must contain digit',
      ...(profile === 'B' ? ['Password must contain special character'] : []),
    ])
    expect((await verify(token)).status).toBe(400)
    expect((await reset(verification)).status).toBe(400)
    expect(await meStatus(service(), access)).toBe(200)
    const answers = await Promise.all(Array.from({ length: 20 }, () => reset(token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)])
    // A reset invalidates all earlier tokens.
    expect((await verify(verification)).body).toEqual(burned('verify-email'))
  })

  test('an email changes when the new address answers, with a login, and invalidates tokens mailed before', async () => {
    const { access } = await newSession(service(), 'moving')
    const [from, to] = ['moving@example.com', 'moved@example.com']
    await verify(await mailed(context, 'verification', from))
    await forgot(from)
    const old = await mailed(context, 'reset', from)
    const asked = await service().put(ME, { email: to }, { token: access })
    expect(asked.body).toMatchObject({ email: from, is_verified: true, pending_email: to })
    const notice = await mailServer().next(from, 'A new email address was requested')
    expect(notice.text).toContain('Nothing has changed yet')
    const token = await mailed(context, 'change', to)
    expect((await verify(token)).body.code).toBe('not_authenticated')
    expect((await service().post(auth('verify-email'), { token }, { token: access })).status).toBe(200)
    const { body } = await service().get(ME, { token: access })
    expect(body).toMatchObject({ email: to, is_verified: true })
    expect(body).not.toHaveProperty('pending_email')
    expect((await mailServer().next(from, 'Your email address was changed')).text).not.toContain(to)
    expect((await reset(old)).body).toEqual(burned('reset-password'))
  })

  describe('an attacker who guesses addresses', () => {
    test.each([
      ['forgot-password', 'reset'],
      ['resend-verification', 'verification'],
    ] as const)('learns from %s nothing about who has an account', async (name, kind) => {
      await service().post(REGISTER, newUser(`known-${name}`))
      // A new verification gives up one that was not sent yet.
      await mailed(context, 'verification', `known-${name}@example.com`)
      const ask = (email: string) => service().post(auth(name), { email })
      const known = await ask(`known-${name}@example.com`)
      const unknown = await ask(`ghost-${name}@example.com`)
      expect(known).toMatchObject({ status: 202, body: { message: expect.any(String) } })
      expect(told(unknown)).toEqual(told(known))
      await mailed(context, kind, `known-${name}@example.com`)
      const mailsTo = (start: string) => mailServer().received.filter(({ to }) => to.startsWith(start))
      atEnd(() => {
        expect(mailsTo('ghost-')).toEqual([])
        expect(mailsTo(`known-${name}@`)).toHaveLength(2)
      })
    })

    test('learns nothing from login either', async () => {
      await service().post(REGISTER, newUser('known-login'))
      const guess = (username: string) => service().post(LOGIN, { username, password: 'Wrong-Horse-7' })
      expect(told(await guess('ghost-login'))).toEqual(told(await guess('known-login')))
    })
  })
}
