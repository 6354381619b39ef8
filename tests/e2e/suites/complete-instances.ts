import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { freePort } from '../../support/port.js'
import type { Client } from '../harness/client.ts'
import { withStandingClock } from '../harness/clock.ts'
import { newDatabase } from '../harness/database.ts'
import { type Instances, startInstances } from '../harness/instances.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { createSecrets } from '../harness/secrets.ts'
import type { Service } from '../harness/service.ts'
import { newUser, PASSWORD, type Profile, REGISTER } from './accounts.ts'
import {
  auth,
  type Complete,
  logIn,
  mailed,
  mailSettings,
  meStatus,
  NEW_PASSWORD,
  newSession,
  refresh,
  SMALL_POOL,
  type Tokens,
  tokensIn,
} from './complete-context.ts'
import { recipients, registerMany, untilLogged } from './complete-worker.ts'

const twenty = <Result>(call: (time: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, time) => call(time)))

/**
 * Two instances on one database: a change by one takes effect immediately in the other.
 * The suites of the single flows test parallel requests of which only one may succeed.
 */
export function instancesSuite(profile: Profile, project: () => Report): void {
  describe('two instances', () => {
    let mailServer: MailServer
    let settings: Record<string, string>
    let both: Instances

    const start = (extra: Record<string, string> = {}) => {
      const options = { cwd: project().directory, env: { ...settings, ...extra } }
      return startInstances(2, { ...options, command: withStandingClock() })
    }
    beforeAll(async () => {
      mailServer = await startMailServer(project().directory)
      settings = {
        ...(await newDatabase(project())).env,
        ...mailSettings(profile, mailServer),
        ...SMALL_POOL,
        RATE_LIMIT_ENABLED: 'false',
      }
      both = await start()
      return async () => {
        await both.stop()
        await mailServer.stop()
      }
    })

    const context: Complete = {
      profile,
      service: () => both,
      mailServer: () => mailServer,
      secrets: createSecrets(),
      atEnd: () => {},
    }
    /** Requests a password reset. @returns a function that resets the password at an instance */
    async function requestReset(username: string): Promise<(at: Client) => Promise<number>> {
      const email = `${username}@example.com`
      expect((await both.post(auth('forgot-password'), { email })).status).toBe(202)
      const token = await mailed(context, 'reset', email)
      return async (at) =>
        (await at.post(auth('reset-password'), { token, new_password: NEW_PASSWORD })).status
    }
    const logOutAll = async (at: Client, token: string) =>
      (await at.post(auth('logout-all'), undefined, { token })).status
    const changePassword = (at: Client, token: string, next = NEW_PASSWORD) =>
      at.post(auth('change-password'), { current_password: PASSWORD, new_password: next }, { token })
    const expectDead = async (at: Client, { access, refresh: token }: Tokens) => {
      expect(await meStatus(at, access)).toBe(401)
      expect((await refresh(at, token)).body.code).toBe('invalid_refresh_token')
    }

    describe('a session ended by one instance is ended in the other', () => {
      /** Ways to end the session of `mine`. */
      const ways: Record<string, (at: Client, mine: Tokens, username: string) => Promise<unknown>> = {
        'a replayed refresh token': async (at, { refresh: old }) => {
          const second = tokensIn(await refresh(at, old))
          tokensIn(await refresh(at, second.refresh))
          expect((await refresh(at, old)).status).toBe(401)
        },
        'a password reset': async (at, _mine, username) =>
          expect(await (await requestReset(username))(at)).toBe(200),
        ...(profile === 'B' && {
          logout: async (at: Client, { access: token }: Tokens) =>
            expect((await at.post(auth('logout'), undefined, { token })).status).toBe(204),
          'logout-all': async (at: Client, { access }: Tokens) =>
            expect(await logOutAll(at, access)).toBe(204),
          'deleting a device by id': async (at: Client, mine: Tokens, username: string) => {
            const { access: token } = tokensIn(await logIn(at, username))
            const { devices } = (await at.get(auth('devices'), { token })).body
            const { id } = devices.find((device: { is_current: boolean }) => !device.is_current)
            expect((await at.send('DELETE', auth(`devices/${id}`), { token })).status).toBe(204)
            expect(await meStatus(at, mine.access)).toBe(401)
          },
          'a password change': async (at: Client, _mine: Tokens, username: string) => {
            const { access } = tokensIn(await logIn(at, username))
            tokensIn(await changePassword(at, access))
          },
        }),
      }
      test.each(Object.keys(ways))('by %s', async (way) => {
        const [one, other] = both.all as readonly [Service, Service]
        for (const [turn, [here, there]] of [[one, other] as const, [other, one] as const].entries()) {
          const username = `${way.replaceAll(/\W+/g, '-')}-${turn}`.slice(-32).replace(/^-/, '')
          const mine = await newSession(here, username)
          for (const instance of both.all) expect(await meStatus(instance, mine.access)).toBe(200)
          await ways[way]?.(here, mine, username)
          await expectDead(there, mine)
        }
      })
    })

    test('without a grace period exactly one of 20 uses of a refresh token succeeds, and the session ends', async () => {
      const graceless = await start({ REFRESH_TOKEN_REUSE_GRACE_SECONDS: '0' })
      const { refresh: token } = await newSession(graceless, 'graceless')
      const answers = await twenty(() => refresh(graceless, token))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)])
      const winner = answers.find(({ status }) => status === 200)
      for (const instance of graceless.all)
        expect(await meStatus(instance, winner?.body.access_token)).toBe(401)
      expect((await refresh(graceless, winner?.body.refresh_token)).status).toBe(401)
      await graceless.stop()
    })

    /** Refreshes a session until a refresh is refused. @returns all tokens of the session */
    async function keepRefreshing(
      first: Tokens,
      onAnswer: () => void,
      isEnded: () => boolean,
    ): Promise<Tokens[]> {
      const chain = [first]
      for (;;) {
        const mustFail = isEnded()
        const answer = await refresh(both, chain.at(-1)?.refresh ?? '')
        onAnswer()
        if (answer.status !== 200) return chain
        expect(mustFail, 'a refresh succeeded after the sessions had ended').toBe(false)
        chain.push(tokensIn(answer))
      }
    }

    /** Ends sessions while they are being refreshed, and checks that no token stays valid. */
    async function expectAllEnded(sessions: Tokens[], endAll: () => Promise<unknown>): Promise<void> {
      let answers = 0
      let isEnded = false
      let ended: Promise<unknown> | undefined
      const onAnswer = () => {
        answers += 1
        if (answers === 60)
          ended = endAll().finally(() => {
            isEnded = true
          })
      }
      const chains = await Promise.all(
        sessions.map((session) => keepRefreshing(session, onAnswer, () => isEnded)),
      )
      await ended
      for (const { access } of chains.flat()) expect(await meStatus(both, access)).toBe(401)
      for (const chain of chains) await expectDead(both, chain.at(-1) as Tokens)
    }

    async function sessionsOf(username: string): Promise<Tokens[]> {
      expect((await both.post(REGISTER, newUser(username))).status).toBe(201)
      return twenty(async () => tokensIn(await logIn(both, username)))
    }

    /** Logs in with the old password while it is being replaced, and checks that none of these sessions stays valid. */
    async function expectNoLateLogin(username: string, replace: () => Promise<unknown>): Promise<void> {
      const logins = () => Array.from({ length: 10 }, () => logIn(both, username))
      const before = logins()
      const replaced = replace()
      const answers = await Promise.all([...before, ...logins()])
      await replaced
      for (const answer of answers) {
        if (answer.status === 200) await expectDead(both, tokensIn(answer))
        else expect(answer.body.code).toBe('invalid_credentials')
      }
      tokensIn(await logIn(both, username, NEW_PASSWORD))
    }

    // A refresh or login in progress at one instance must not leave a valid token after the other ended all sessions.
    test('no token of a refresh during a password reset stays valid', async () => {
      const sessions = await sessionsOf('reset-racer')
      const reset = await requestReset('reset-racer')
      await expectAllEnded(sessions, async () => expect(await reset(both)).toBe(200))
    })

    test('no login with the old password during a password reset stays valid', async () => {
      await newSession(both, 'reset-login-racer')
      const reset = await requestReset('reset-login-racer')
      await expectNoLateLogin('reset-login-racer', async () => expect(await reset(both)).toBe(200))
    })

    if (profile === 'B') {
      test('no token of a refresh during logout-all stays valid', async () => {
        const [last, ...sessions] = await sessionsOf('fleeing-racer')
        await expectAllEnded(sessions, async () =>
          expect(await logOutAll(both, last?.access ?? '')).toBe(204),
        )
      })

      test('no refresh or login during change-password stays valid', async () => {
        const [own, ...sessions] = await sessionsOf('changing-racer')
        let fresh: Tokens | undefined
        await expectAllEnded(sessions, async () => {
          fresh = tokensIn(await changePassword(both, own?.access ?? ''))
        })
        expect(await meStatus(both, fresh?.access ?? '')).toBe(200)

        const { access } = await newSession(both, 'changing-login-racer')
        await expectNoLateLogin('changing-login-racer', async () => {
          fresh = tokensIn(await changePassword(both, access))
        })
        expect(await meStatus(both, fresh?.access ?? '')).toBe(200)
      })

      test('exactly one of 20 parallel password changes succeeds', async () => {
        const { access } = await newSession(both, 'undecided')
        const next = (time: number) => `${NEW_PASSWORD}-${time}`
        const answers = await twenty((time) => changePassword(both, access, next(time)))
        const winners = answers.flatMap(({ status }, time) => (status === 200 ? [time] : []))
        expect(winners).toHaveLength(1)
        tokensIn(await logIn(both, 'undecided', next(winners[0] ?? -1)))
      })
    }

    test('100 mails that both instances start to send at the same time arrive once each', async () => {
      const port = await freePort()
      const { env } = await newDatabase(project())
      const senders = await start({ ...env, ...mailSettings(profile, { port }) })
      const users = await registerMany(senders, 100)
      await untilLogged(senders.all, 'mail.failed', users.length)
      const back = await startMailServer(project().directory, port)
      for (const { running } of senders.all) running.signal('SIGALRM')
      await untilLogged(senders.all, 'mail.sent', 100)
      await senders.stop()
      await back.stop()
      expect(recipients(back.received)).toEqual(users)
    })

    describe('limits', () => {
      /** Headers of a client behind a load balancer. */
      const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
      const newAddress = () =>
        `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
      const limits = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_REGISTER: '10', TRUST_PROXY: '127.0.0.1' }

      test('both instances share the count of failed logins of an account', async () => {
        const limited = await start(limits)
        const address = newAddress()
        await limited.post(REGISTER, newUser('guessed-at'), from(address))
        const body = { username: 'guessed-at', password: 'Wrong-Horse-7' }
        const answers = await twenty(() => limited.post(auth('login'), body, from(address)))
        expect(answers.map(({ status }) => status).sort()).toEqual([
          ...Array(5).fill(401),
          ...Array(15).fill(429),
        ])
        await limited.stop()
      })
    })
  })
}
