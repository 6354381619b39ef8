import { expect, test } from 'vitest'
import { run, succeed } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { withStandingClock } from '../harness/clock.ts'
import { newDatabase } from '../harness/database.ts'
import { type Service, startService } from '../harness/service.ts'
import { LOGIN, loggedIn, ME, newUser, PASSWORD, type Profile, REGISTER } from './accounts.ts'

const logIn = (service: Service, username: string, password: string) =>
  service.post(LOGIN, { username, password })
const guess = (service: Service, username: string) => logIn(service, username, 'Wrong-Horse-7')

/** Rate limits against password guessing, which do not lock users out for long. */
export function throttleSuite(project: () => Report): void {
  const freshDatabase = async () => (await newDatabase(project())).env
  const command = withStandingClock()
  const started = async (env?: Record<string, string>) =>
    startService({ cwd: project().directory, env: env ?? (await freshDatabase()), command })

  test('a name allows 5 failed logins a minute, also across a restart', async () => {
    const env = await freshDatabase()
    const service = await started(env)
    await service.post(REGISTER, newUser('target'))
    await service.post(REGISTER, newUser('neighbour'))
    for (let n = 0; n < 5; n += 1) expect((await guess(service, 'target')).status).toBe(401)
    const refused = await guess(service, 'TARGET')
    expect(refused.body).toMatchObject({ status: 429, code: 'too_many_requests' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await logIn(service, 'target', PASSWORD)).status).toBe(429)
    // A count by user would reveal whose email it is.
    expect((await logIn(service, 'target@example.com', PASSWORD)).status).toBe(200)
    for (let n = 0; n < 5; n += 1) expect((await guess(service, 'target@example.com')).status).toBe(401)
    expect((await logIn(service, 'Target@EXAMPLE.com', PASSWORD)).status).toBe(429)
    expect((await logIn(service, 'neighbour', PASSWORD)).status).toBe(200)
    await service.stop()
    const restarted = await started(env)
    for (const name of ['target', 'target@example.com'])
      expect((await logIn(restarted, name, PASSWORD)).status).toBe(429)
    await restarted.stop()
  })

  test('only 5 of many parallel guesses are checked, for known and unknown names', async () => {
    const service = await started()
    await service.post(REGISTER, newUser('rushed'))
    for (const username of ['rushed', 'nobody']) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => guess(service, username)))
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses, username).toEqual([...Array(5).fill(401), ...Array(7).fill(429)])
    }
    await service.stop()
  })

  test('a successful login is not counted as a failure', async () => {
    const service = await started()
    await service.post(REGISTER, newUser('busy'))
    for (let n = 0; n < 4; n += 1) await guess(service, 'busy')
    for (let n = 0; n < 6; n += 1) expect((await logIn(service, 'busy', PASSWORD)).status).toBe(200)
    expect((await guess(service, 'busy')).status).toBe(401)
    expect((await guess(service, 'busy')).status).toBe(429)
    await service.stop()
  })

  test('an address may fail 30 logins a minute, over all accounts', async () => {
    const service = await started()
    for (let account = 0; account < 6; account += 1) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => guess(service, `account${account}`)))
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(401))
    }
    expect((await guess(service, 'account6')).status).toBe(429)
    await service.stop()
  })

  test('an address may register 60 users a minute', async () => {
    const service = await started()
    // Not all at once: a client has a share of the hash queue.
    const statuses: number[] = []
    for (const count of [20, 20, 20, 4]) {
      const users = Array.from({ length: count }, (_, n) => newUser(`user${statuses.length + n}`))
      const answers = await Promise.all(users.map((user) => service.post(REGISTER, user)))
      statuses.push(...answers.map(({ status }) => status))
    }
    expect(statuses).toEqual([...Array(60).fill(201), ...Array(4).fill(429)])
    await service.stop()
  })

  test('RATE_LIMIT_ENABLED=false switches the limits off', async () => {
    const service = await started({ ...(await freshDatabase()), RATE_LIMIT_ENABLED: 'false' })
    for (let n = 0; n < 8; n += 1) expect((await guess(service, 'anyone')).status).toBe(401)
    await service.stop()
  })
}

/** `npm run user -- …`, while the service runs on the same database. */
export function userCommandSuite(profile: Profile, project: () => Report): void {
  const cwd = () => project().directory
  const freshDatabase = async () => (await newDatabase(project())).env

  test('deactivate ends all access immediately; activate does not restore old tokens', async () => {
    const env = await freshDatabase()
    const user = (...args: string[]) => succeed('npm', ['run', 'user', '--', ...args], { cwd: cwd(), env })
    const service = await startService({ cwd: cwd(), env })
    const { token } = await loggedIn(service, 'revoked')

    await user('deactivate', 'revoked')
    expect((await service.get(ME, { token })).body).toMatchObject({ status: 401, code: 'invalid_token' })
    expect((await logIn(service, 'revoked', PASSWORD)).body).toMatchObject({
      status: 401,
      code: 'invalid_credentials',
    })

    await user('activate', 'revoked')
    expect((await service.get(ME, { token })).status).toBe(401)
    const again = await logIn(service, 'revoked', PASSWORD)
    expect(again.status).toBe(200)
    expect((await service.get(ME, { token: again.body.access_token })).status).toBe(200)
    await service.stop()
  })

  test('create reads the password from stdin and creates a user who can log in', async () => {
    const env = await freshDatabase()
    const command = ['run', 'user', '--', 'create', 'operator', 'operator@example.com']
    const { stdout, stderr } = await succeed('npm', command, { cwd: cwd(), env, input: `${PASSWORD}\n` })
    expect(stdout + stderr).not.toContain(PASSWORD)
    if (profile === 'B')
      await succeed('npm', ['run', 'user', '--', 'promote', 'operator'], { cwd: cwd(), env })
    const service = await startService({ cwd: cwd(), env })
    expect((await logIn(service, 'operator', PASSWORD)).status).toBe(200)
    await service.stop()
  })

  test('wrong arguments are refused with an error that names the fix, and an exit code', async () => {
    const env = await freshDatabase()
    const user = (...args: string[]) => run('npm', ['run', 'user', '--', ...args], { cwd: cwd(), env })
    const unknown = await user('deactivate', 'nobody')
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('There is no user "nobody"')
    const usage = await user('explode')
    expect(usage.code).toBe(2)
    expect(usage.stderr).toContain('create <username>')
  })
}
