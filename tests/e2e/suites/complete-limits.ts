import { describe, expect, test } from 'vitest'
import { succeed } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { withStandingClock } from '../harness/clock.ts'
import { newDatabase } from '../harness/database.ts'
import { type Service, type ServiceOptions, startService } from '../harness/service.ts'
import { ME, newUser, type Profile, REGISTER } from './accounts.ts'
import {
  auth,
  logIn,
  meStatus,
  NEW_PASSWORD,
  newSession,
  refresh,
  subjects,
  tokensIn,
} from './complete-context.ts'
import { keptMail, keptMails } from './kept-mails.ts'

/** Limits and settings of mode complete, and the user command. Without a mail server, so that mails are kept. */
export function completeLimitsSuite(profile: Profile, project: () => Report): void {
  const cwd = () => project().directory

  async function withService(
    settings: Record<string, string>,
    use: (service: Service, env: Record<string, string>) => Promise<void>,
    command: NonNullable<ServiceOptions['command']> = withStandingClock(),
  ): Promise<void> {
    const env = { ...(await newDatabase(project())).env, ...settings }
    const service = await startService({ cwd: cwd(), env, command })
    await use(service, env)
    await service.stop()
  }

  test('an address may try 10 wrong verification and reset tokens a minute', () =>
    withService({}, async (service) => {
      const verify = () => service.post(auth('verify-email'), { token: 'AAAA-BBBB-CCCC-DDDD' })
      const reset = () =>
        service.post(auth('reset-password'), { token: 'AAAA-BBBB-CCCC-DDDD', new_password: NEW_PASSWORD })
      for (let n = 0; n < 5; n += 1) {
        expect((await verify()).status).toBe(400)
        expect((await reset()).status).toBe(400)
      }
      for (const answer of [await verify(), await reset()]) {
        expect(answer.body).toMatchObject({ status: 429, code: 'too_many_requests' })
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      }
    }))

  test('an address may try 60 wrong refresh tokens a minute', () =>
    withService({}, async (service) => {
      const answers = await Promise.all(Array.from({ length: 64 }, () => refresh(service, 'wrong')))
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([...Array(60).fill(401), ...Array(4).fill(429)])
    }))

  describe('mails to one address', () => {
    /** Requests a reset `times` times. @returns how many mails were queued */
    const ask = async (service: Service, times: number) => {
      await service.post(REGISTER, newUser('flooded'))
      for (let n = 0; n < times; n += 1) {
        for (const email of ['FLOODED@example.com', 'flooded@example.com', 'nobody@example.com'])
          expect((await service.post(auth('forgot-password'), { email })).status).toBe(202)
        // Requests are handled in order, and this one is not limited.
        await service.post(REGISTER, newUser(`marker${n}`))
        await service.post(auth('forgot-password'), { email: `marker${n}@example.com` })
        await keptMail(service, 'reset', `marker${n}@example.com`)
      }
      const mails = await keptMails(service)
      return mails.filter(
        ({ to, subject }) => to === 'flooded@example.com' && subject === subjects[profile].reset,
      ).length
    }

    test('are limited to one a minute', () =>
      withService({}, async (service) => expect(await ask(service, 2)).toBe(1)))

    test('are limited to 5 in the lifetime of the token', () =>
      withService(
        { RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0', RATE_LIMIT_MAIL_REQUESTS: '1000' },
        async (service) => expect(await ask(service, 6)).toBe(5),
      ))
  })

  test('a password reset unlocks an account locked by failed logins', () =>
    withService({}, async (service) => {
      await service.post(REGISTER, newUser('locked'))
      const names = ['locked', 'locked@example.com']
      for (const name of names) {
        for (let n = 0; n < 5; n += 1) await logIn(service, name, 'Wrong-Horse-7')
        expect((await logIn(service, name)).status).toBe(429)
      }
      await service.post(auth('forgot-password'), { email: 'locked@example.com' })
      const { token } = await keptMail(service, 'reset', 'locked@example.com')
      const body = { token, new_password: NEW_PASSWORD }
      expect((await service.post(auth('reset-password'), body)).status).toBe(200)
      for (const name of names) expect((await logIn(service, name, NEW_PASSWORD)).status).toBe(200)
    }))

  test('without a grace period exactly one of 20 uses of a refresh token succeeds, and the session ends', () =>
    withService({ REFRESH_TOKEN_REUSE_GRACE_SECONDS: '0' }, async (service) => {
      const { refresh: token } = await newSession(service, 'graceless')
      const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(service, token)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)])
      const winner = answers.find(({ status }) => status === 200)
      expect(await meStatus(service, winner?.body.access_token)).toBe(401)
      expect((await refresh(service, winner?.body.refresh_token)).status).toBe(401)
    }))

  test('npm run user: verify marks a user as verified; deactivate ends the sessions', () =>
    withService(
      {},
      async (service, env) => {
        const user = (...args: string[]) =>
          succeed('npm', ['run', 'user', '--', ...args], { cwd: cwd(), env })
        const tokens = await newSession(service, 'unreachable')
        expect((await service.get(ME, { token: tokens.access })).body.is_verified).toBe(false)
        await user('verify', 'unreachable')
        expect((await service.get(ME, { token: tokens.access })).body.is_verified).toBe(true)

        await user('deactivate', 'unreachable')
        expect((await refresh(service, tokens.refresh)).status).toBe(401)
        await user('activate', 'unreachable')
        expect((await refresh(service, tokens.refresh)).status).toBe(401)
        tokensIn(await logIn(service, 'unreachable'))
      },
      // The service needs the same real clock as the command.
      ['node', 'dist/server.js'],
    ))
}
