import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject } from 'vitest'
import { buildUnchecked } from '../support/build.js'
import { createLinked, type Report } from '../support/create-project.ts'
import { devScript } from '../support/dev.js'
import { startMailServer } from './harness/mail-server.ts'
import { type Service, startService } from './harness/service.ts'
import { steps } from './harness/steps.ts'
import { LOGIN, ME, newUser, REGISTER } from './suites/accounts.ts'
import {
  auth,
  FRONTEND_URL,
  mailSettings,
  meStatus,
  NEW_PASSWORD,
  subjects,
  type Tokens,
  tokenIn,
  tokensIn,
} from './suites/complete-context.ts'
import { keptMail } from './suites/kept-mails.ts'
import { eachOf, livingProject, type Person, query } from './suites/living.ts'
import { isWhole } from './variants/every-run.ts'

/** Each login takes a hash, and the first one after a switch of the profile two. */
const USERS = isWhole ? 200 : 24
/** How many users verify their email, and how many reset their password. */
const FEW = isWhole ? 20 : 6

/**
 * A project that switches through basic A, complete A, complete B, basic B and complete B with one database.
 * The service runs after each switch. Each step needs the previous ones.
 */
describe('a living project', () => {
  const step = steps()
  let project: Report
  let service: Service
  const people: Person[] = Array.from({ length: USERS }, (_, n) => ({
    username: `person${n}`,
    password: `Person-${n}-Horse`,
  }))
  const { regenerate, npm, testOwn } = livingProject(() => project)
  const start = async (env: Record<string, string> = {}, script?: string[]) => {
    buildUnchecked(project.directory)
    service = await startService({
      cwd: project.directory,
      env: {
        ...env,
        RATE_LIMIT_ENABLED: 'false',
        // The longest, because the access tokens must outlive a switch and a build on a busy machine.
        ACCESS_TOKEN_EXPIRE_MINUTES: '1440',
        JWT_ACCESS_TOKEN_EXPIRATION: '86400',
        HASH_CONCURRENCY: '2',
        HASH_QUEUE: '1000',
      },
      ...(script && { command: ['node', ...script] }),
    })
  }
  const logInAll = async () => {
    const answers = await eachOf(people, ({ username, password }) =>
      service.post(LOGIN, { username, password }),
    )
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    return answers
  }
  /** Data that no step may change: all accounts and the rows of the owner's table. */
  const kept = () =>
    query(
      project.directory,
      `SELECT (SELECT json_group_array(json_array(id, username, email, is_active, created_at)) FROM (SELECT * FROM users ORDER BY id)) AS users,
              (SELECT json_group_array(json_array(id, user_id, text)) FROM (SELECT * FROM diary ORDER BY id)) AS diary`,
    )
  const tokenMailedTo = async (username: string, kind: 'verification' | 'reset'): Promise<string> =>
    (await keptMail(service, kind, `${username}@example.com`)).token

  beforeAll(async () => {
    const parent = mkdtempSync(join(inject('scratch'), 'living-'))
    project = await createLinked(parent, ['my-api', '--mode', 'basic', '--profile', 'A', '--add', 'none'])
  })

  let before: unknown

  step('basic A: users register; the owner adds a table with rows', async () => {
    writeFileSync(join(project.directory, 'src/db/schema/diary.ts'), DIARY)
    await npm('run', 'db:generate')
    await npm('run', 'db:migrate')
    await start()
    const answers = await eachOf(people, ({ username, password }) =>
      service.post(REGISTER, { ...newUser(username), password }),
    )
    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    query(project.directory, "INSERT INTO diary (user_id, text) SELECT id, 'Dear ' || username FROM users")
    before = kept()
    await service.stop()
  })

  const sessions = new Map<string, Tokens>()
  const resets = new Map<string, string>()

  step('complete A: all users log in, and no user is verified', async () => {
    await regenerate('--mode', 'complete')
    // The mailbox shows the emails.
    await start({ FRONTEND_URL }, devScript(project.directory))
    expect(kept()).toEqual(before)
    const answers = await logInAll()
    for (const [n, answer] of answers.entries()) sessions.set(people[n]?.username ?? '', tokensIn(answer))
    const [{ verified }] = query(project.directory, 'SELECT sum(is_verified) AS verified FROM users')
    expect(verified).toBe(0)

    const request = (path: string, some: Person[]) =>
      eachOf(some, ({ username }) => service.post(auth(path), { email: `${username}@example.com` }))
    await request('resend-verification', people.slice(0, FEW))
    await request('forgot-password', people.slice(FEW, 2 * FEW))
    for (const { username } of people.slice(0, FEW)) {
      const token = await tokenMailedTo(username, 'verification')
      if (username !== 'person0')
        expect((await service.post(auth('verify-email'), { token })).status).toBe(200)
    }
    for (const { username } of people.slice(FEW, 2 * FEW))
      resets.set(username, await tokenMailedTo(username, 'reset'))
    await service.stop()
  })

  step(
    'complete B: passwords stay; sessions, links and waiting emails with a link of profile A do not',
    async () => {
      const report = await regenerate('--profile', 'B')
      expect(report.stdout).toContain('all sessions end, and emailed links and codes are invalid')
      const mailServer = await startMailServer(project.directory)
      await start(mailSettings('B', mailServer))
      expect(kept()).toEqual(before)
      const statuses = await eachOf([...sessions.values()], async ({ access, refresh }) => [
        await meStatus(service, access),
        (await service.post(auth('refresh'), { refresh_token: refresh })).status,
      ])
      expect(new Set(statuses.flat())).toEqual(new Set([401]))
      const request = (path: string, { username }: Person) =>
        service.post(auth(path), { email: `${username}@example.com` })
      const [first] = people
      if (!first) throw new Error('There is nobody')
      await request('resend-verification', first)
      const mail = await mailServer.next('person0@example.com', subjects.B.verification)
      const token = tokenIn('B', 'verification', mail)
      expect((await service.post(auth('verify-email'), { token })).status).toBe(200)
      for (const person of people.slice(FEW, 2 * FEW)) {
        const reset = { token: resets.get(person.username), new_password: NEW_PASSWORD }
        expect((await service.post(auth('reset-password'), reset)).status).toBe(400)
        await request('forgot-password', person)
        const email = await mailServer.next(`${person.username}@example.com`, subjects.B.reset)
        const again = { ...reset, token: tokenIn('B', 'reset', email) }
        expect((await service.post(auth('reset-password'), again)).status).toBe(200)
        person.password = NEW_PASSWORD
      }
      // Each of them has its link in an email of profile A, which waited.
      const old: string[] = [subjects.A.verification, subjects.A.reset]
      if (!old.includes(subjects.B.verification))
        expect(mailServer.received.filter(({ subject }) => old.includes(subject))).toEqual([])
      for (const [n, answer] of (await logInAll()).entries())
        if (n < FEW || n >= 2 * FEW) sessions.set(people[n]?.username ?? '', tokensIn(answer))
        else sessions.delete(people[n]?.username ?? '')
      const [{ hashes }] = query(
        project.directory,
        "SELECT count(*) AS hashes FROM users WHERE hashed_password LIKE '$argon2id$%'",
      )
      expect(hashes).toBe(USERS)
      await service.stop()
      await mailServer.stop()
    },
  )

  step('basic B: all users log in; tokens of mode complete are not accepted', async () => {
    await regenerate('--mode', 'basic')
    await start()
    expect(kept()).toEqual(before)
    // A leftover route in dist/ would be loaded by autoload.
    expect((await service.post(auth('refresh'), {})).status).toBe(404)
    const [first] = sessions.values()
    expect(await meStatus(service, first?.access ?? '')).toBe(401)
    const answers = await logInAll()
    // A verified user changes their email to an unverified one.
    const token = answers[1]?.body.access_token
    expect((await service.put(ME, { email: 'elsewhere@example.com' }, { token })).status).toBe(200)
    await npm('run', 'user', '--', 'deactivate', 'person2')
    await npm('run', 'user', '--', 'activate', 'person2')
    await service.stop()
  })

  step('complete B again: sessions and verified flags are restored', async () => {
    await regenerate('--mode', 'complete')
    await start()
    const verified = query(project.directory, 'SELECT username FROM users WHERE is_verified = 1').map(
      ({ username }) => username,
    )
    // A redeemed reset verifies the address too.
    const expected = people.slice(0, 2 * FEW).map(({ username }) => username)
    expect(verified.sort()).toEqual(expected.filter((username) => username !== 'person1').sort())

    const refused: string[] = []
    await eachOf([...sessions], async ([username, { refresh }]) => {
      const answer = await service.post(auth('refresh'), { refresh_token: refresh })
      if (answer.status === 401) refused.push(username)
      else tokensIn(answer)
    })
    // In mode basic the address of person1 changed and person2 was deactivated, which ends their kept sessions too.
    expect(refused.sort()).toEqual(['person1', 'person2'])
    await logInAll()
    const [{ diary }] = query(project.directory, 'SELECT count(*) AS diary FROM diary')
    expect(diary).toBe(USERS)
    await service.stop()
  })

  step('the migrations are consistent, and the tests of the project pass', async () => {
    const { stdout } = await npm('run', 'db:generate')
    expect(stdout).toContain('No schema changes')
    await npm('run', 'check')
    await testOwn('complete-b-sqlite')
  })
})

const DIARY = `import { id, integer, table, text } from '../dialect.ts'
import { users } from './users.ts'

export const diary = table('diary', {
  id: id(),
  userId: integer('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
  text: text('text').notNull(),
})
`
