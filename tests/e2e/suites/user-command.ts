import { expect, test } from 'vitest'
import { run, succeed } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { newDatabase } from '../harness/database.ts'
import { type Service, startService } from '../harness/service.ts'
import { LOGIN, loggedIn, ME, PASSWORD, type Profile } from './accounts.ts'

const logIn = (service: Service, username: string, password: string) =>
  service.post(LOGIN, { username, password })

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
